// Loaded before a program (LD_PRELOAD), it makes its wall clock go wrong by as many milliseconds as stand, in binary, in the
// file that ERRAND_CLOCK_SHIFT names: a change of the file is seen at once. The monotonic clock stays right.
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

const volatile std::int64_t* shift_in_ms = nullptr;

[[gnu::constructor]] void find_shift() {
    const char* name = std::getenv("ERRAND_CLOCK_SHIFT");
    const int file = name ? ::open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void* page = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) shift_in_ms = static_cast<const volatile std::int64_t*>(page);
    ::close(file);
}

// Past the library's own function, which is this one.
int read_clock(clockid_t which, timespec* now) {
    const auto failed = ::syscall(SYS_clock_gettime, which, now);
    const bool wall = which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE;
    if (failed || !wall || !shift_in_ms) return static_cast<int>(failed);
    const std::int64_t shift = *shift_in_ms;
    const auto ns = now->tv_nsec + shift % 1000 * 1'000'000 + 1'000'000'000;
    now->tv_sec += shift / 1000 + ns / 1'000'000'000 - 1;
    now->tv_nsec = ns % 1'000'000'000;
    return 0;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t which, timespec* now) noexcept { return read_clock(which, now); }

int gettimeofday(timeval* now, void*) noexcept {
    timespec exact{};
    read_clock(CLOCK_REALTIME, &exact);
    *now = {exact.tv_sec, exact.tv_nsec / 1000};
    return 0;
}

time_t time(time_t* to) noexcept {
    timespec exact{};
    read_clock(CLOCK_REALTIME, &exact);
    if (to) *to = exact.tv_sec;
    return exact.tv_sec;
}
}
