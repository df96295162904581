#include "worker/stack_probe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <features.h>
#include <fstream>
#include <pthread.h>
#include <span>
#include <sstream>
#include <string_view>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Since then the unwinder finds a function's description without a lock, which a handler of signals may not take.
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 35)
#include <execinfo.h>
#define ERRAND_HAS_STACKS 1
#endif
#endif
#ifndef ERRAND_HAS_STACKS
#define ERRAND_HAS_STACKS 0
#endif

namespace errand {
namespace {

enum class step : std::uint8_t {
    idle,
    prepared,   // by a probe
    asked,      // the thread is to write
    writing,    // by the handler
    written,    // for the probe
    abandoned,  // the probe is gone while the handler writes
};

constexpr std::size_t most_frames = 64;

struct {
    std::atomic<step> now{step::idle};
    std::atomic<pid_t> thread{0};
    std::array<void*, most_frames> frames{};
    int count = 0;
    void* interrupted = nullptr;  // where the thread was; null where it is not known how to tell
} sheet;
static_assert(std::atomic<step>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

#if ERRAND_HAS_STACKS
void* place_of([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    return reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
    return nullptr;
#endif
}

// Only what may be called when anything was interrupted. A signal that comes too late finds another step, or another thread's.
void write_down(int, siginfo_t*, void* context) {
    const int before = errno;
    auto expected = step::asked;
    if (sheet.thread.load() == static_cast<pid_t>(::syscall(SYS_gettid)) &&
        sheet.now.compare_exchange_strong(expected, step::writing)) {
        sheet.count = ::backtrace(sheet.frames.data(), static_cast<int>(most_frames));
        sheet.interrupted = place_of(context);
        expected = step::writing;
        if (!sheet.now.compare_exchange_strong(expected, step::written)) sheet.now.store(step::idle);
    }
    errno = before;
}

bool is_free(int number, const sigset_t& held_back) {
    struct sigaction now{};
    return ::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
           now.sa_handler == SIG_DFL && ::sigismember(&held_back, number) == 0;
}

// 0: all are used.
int take_signal() {
    sigset_t held_back;
    if (::pthread_sigmask(SIG_SETMASK, nullptr, &held_back) != 0) return 0;
    // From the end, as those at the front are what programs take first.
    for (int number = SIGRTMAX - 1; number >= SIGRTMIN; --number) {
        if (!is_free(number, held_back)) continue;
        struct sigaction mine{};
        mine.sa_sigaction = write_down;
        // On a stack of its own where the thread has one: the interrupted one may be small.
        mine.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        ::sigfillset(&mine.sa_mask);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigdelset(&mine.sa_mask, fault);
        if (::sigaction(number, &mine, nullptr) == 0) return number;
    }
    return 0;
}

// Loads what the first call loads, which allocates; where there is nothing to load each call would try again.
int make_ready() {
    std::array<void*, 2> frames;
    return ::backtrace(frames.data(), static_cast<int>(frames.size())) > 0 ? take_signal() : 0;
}

// It stays taken: without a handler, a signal that is still under way would end the program.
int signal_number() {
    static const int number = stacks_are_wanted(std::getenv("ERRAND_STACKS")) ? make_ready() : 0;
    return number;
}

// The program may have taken it since.
bool is_ours(int number) {
    struct sigaction now{};
    return number != 0 && ::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == write_down;
}

bool send(pid_t thread, int number) { return ::syscall(SYS_tgkill, ::getpid(), thread, number) == 0; }
#endif

struct system_call {
    long number;
    std::string_view name;
    bool goes_on;  // after a signal, a futex without a time limit
};

// Those in which a thread may be for long. Reading and writing is not among those that go on: with a time limit of its socket it ends.
constexpr auto known_calls = std::to_array<system_call>({
    {SYS_futex, "futex", true},
    {SYS_wait4, "wait4", true},
    {SYS_waitid, "waitid", true},
    // A file system that is a program ends these early as well.
    {SYS_flock, "flock", false},
    {SYS_fsync, "fsync", false},
    {SYS_fdatasync, "fdatasync", false},
    {SYS_nanosleep, "nanosleep", false},
    {SYS_clock_nanosleep, "clock_nanosleep", false},
    {SYS_read, "read", false},
    {SYS_write, "write", false},
    {SYS_readv, "readv", false},
    {SYS_writev, "writev", false},
    {SYS_recvfrom, "recvfrom", false},
    {SYS_recvmsg, "recvmsg", false},
    {SYS_sendto, "sendto", false},
    {SYS_sendmsg, "sendmsg", false},
    {SYS_connect, "connect", false},
#ifdef SYS_accept
    {SYS_accept, "accept", false},
#endif
    {SYS_accept4, "accept4", false},
    {SYS_ppoll, "ppoll", false},
    {SYS_pselect6, "pselect6", false},
    {SYS_epoll_pwait, "epoll_pwait", false},
    {SYS_fcntl, "fcntl", false},
    {SYS_ioctl, "ioctl", false},
    {SYS_openat, "openat", false},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", false},
#ifdef SYS_poll
    {SYS_poll, "poll", false},
#endif
#ifdef SYS_select
    {SYS_select, "select", false},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait", false},
#endif
#ifdef SYS_pause
    {SYS_pause, "pause", false},
#endif
});

// Of "202 0x7f12 0x80 0x0 0x0 …": the fourth argument is a length of time, or null.
bool has_time_limit(const std::string& futex) {
    std::istringstream words{futex};
    std::string number, place, operation, value, limit;
    words >> number >> place >> operation >> value >> limit;
    return limit != "0x0";
}

}  // namespace

// "running", or "202 0x7f… … sp pc", or "-1 sp pc" of one that waits outside of any call, as for memory.
thread_state read_thread_state(const std::string& line) {
    if (line.starts_with("running") || line.starts_with("-1 ")) return {{}, true};
    long number = 0;
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (failed != std::errc{} || number < 0) return {};
    const auto known = std::ranges::find(known_calls, number, &system_call::number);
    if (known != known_calls.end()) {
        return {std::string{known->name}, known->goes_on && !(number == SYS_futex && has_time_limit(line))};
    }
    return {"number " + std::to_string(number), false};
}

thread_state state_of_thread(pid_t id) {
    std::ifstream file{"/proc/self/task/" + std::to_string(id) + "/syscall"};
    std::string line;
    std::getline(file, line);
    return read_thread_state(line);
}

bool stacks_are_wanted(const char* said) noexcept {
    const std::string_view value{said ? said : "on"};
    return value == "on" || value == "true" || value == "yes" || value == "1";
}

#if ERRAND_HAS_STACKS

void stack_probe::prepare() { signal_number(); }

stack_probe::stack_probe(pid_t thread) {
    const int number = signal_number();
    if (!is_ours(number)) return;
    auto expected = step::idle;
    if (!sheet.now.compare_exchange_strong(expected, step::prepared)) return;
    sheet.thread.store(thread);
    sheet.now.store(step::asked);
    asked_ = send(thread, number);
    if (!asked_) sheet.now.store(step::idle);
}

stack_probe::~stack_probe() {
    if (!asked_) return;
    auto expected = step::asked;
    if (sheet.now.compare_exchange_strong(expected, step::idle)) return;
    expected = step::writing;
    if (!sheet.now.compare_exchange_strong(expected, step::abandoned)) sheet.now.store(step::idle);
}

std::vector<void*> stack_probe::answer() const {
    if (!asked_ || sheet.now.load() != step::written) return {};
    const auto all = std::span{sheet.frames}.first(static_cast<std::size_t>(sheet.count));
    // Before it stand the handler and what called that.
    auto from = std::ranges::find(all, sheet.interrupted);
    if (from == all.end()) from = all.begin() + std::min<std::ptrdiff_t>(2, std::ssize(all));
    return {from, all.end()};
}

#else

void stack_probe::prepare() {}
stack_probe::stack_probe(pid_t) {}
stack_probe::~stack_probe() = default;
std::vector<void*> stack_probe::answer() const { return {}; }

#endif

}  // namespace errand
