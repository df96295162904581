// Where a thread is, as it is told of one that keeps others waiting.
#include "worker/frame_names.hpp"
#include "worker/stack_probe.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using errand::read_thread_state;

namespace stack_test {

// Each turn passes through what sanitizers let signals in at.
[[gnu::noinline]] void computes_until(const std::atomic<bool>& end) {
    std::mutex nobody_waits_for;
    while (!end) {
        const std::lock_guard lock{nobody_waits_for};
    }
}

[[gnu::noinline]] std::size_t length_of(const std::string& text, std::vector<std::string>) {
    return text.size();
}

// A thread, known by what the system calls it, that does something until the end.
class companion {
public:
    template <class Body>
    explicit companion(Body body)
        : thread_{[this, body] {
              id_ = ::gettid();
              body(end_);
          }} {
        while (id_ == 0) std::this_thread::yield();
    }
    ~companion() {
        end_ = true;
        thread_.join();
    }
    pid_t id() const { return id_; }

private:
    std::atomic<pid_t> id_{0};
    std::atomic<bool> end_{false};
    std::thread thread_;
};

std::vector<void*> answer_of(const errand::stack_probe& probe) {
    auto stack = probe.answer();
    while (probe.has_asked() && stack.empty()) {
        std::this_thread::yield();
        stack = probe.answer();
    }
    return stack;
}

}  // namespace stack_test

using namespace stack_test;

TEST_CASE("what the system says of a thread tells whether a signal would be noticed") {
    CHECK(read_thread_state("running").call.empty());
    CHECK(read_thread_state("running").may_be_asked);
    CHECK(read_thread_state("-1 0x7ffd 0x7f12").may_be_asked);
    const auto futex =
        read_thread_state(std::to_string(SYS_futex) + " 0x1 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f12");
    CHECK(futex.call == "futex");
    CHECK(futex.may_be_asked);
    CHECK_FALSE(read_thread_state(std::to_string(SYS_futex) + " 0x1 0x80 0x0 0x7ffc 0x0 0x0 0x7ffd 0x7f12")
                    .may_be_asked);
    const auto sleep = read_thread_state(std::to_string(SYS_clock_nanosleep) + " 0x0 0x1 0x7 0x0");
    CHECK(sleep.call == "clock_nanosleep");
    CHECK_FALSE(sleep.may_be_asked);
    CHECK(read_thread_state("9999 0x0").call == "number 9999");
    CHECK_FALSE(read_thread_state("9999 0x0").may_be_asked);
    CHECK_FALSE(read_thread_state("").may_be_asked);
    CHECK_FALSE(read_thread_state("?").may_be_asked);
}

TEST_CASE("a thread that computes says where it is, by the names of its functions") {
    errand::stack_probe::prepare();
    const companion other{[](const std::atomic<bool>& end) { computes_until(end); }};
    const errand::stack_probe probe{other.id()};
    REQUIRE(probe.has_asked());
    const auto words = errand::stack_in_words(errand::frame_names(answer_of(probe)));
    INFO(words);
    CHECK(words.find("stack_test::computes_until(") != words.npos);
}

TEST_CASE("one thread of a process is asked at a time, and one that is not there is not asked") {
    errand::stack_probe::prepare();
    const companion other{[](const std::atomic<bool>& end) { computes_until(end); }};
    {
        const errand::stack_probe first{other.id()};
        REQUIRE(first.has_asked());
        const errand::stack_probe second{other.id()};
        CHECK_FALSE(second.has_asked());
        CHECK(second.answer().empty());
        CHECK_FALSE(answer_of(first).empty());
    }
    const errand::stack_probe again{other.id()};
    CHECK(again.has_asked());
    CHECK_FALSE(answer_of(again).empty());
}

TEST_CASE("no thread is asked by a signal that the program has taken for itself since") {
    errand::stack_probe::prepare();
    std::vector<std::pair<int, struct sigaction>> before;
    struct sigaction mine{};
    mine.sa_handler = [](int) {};
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
        struct sigaction was{};
        REQUIRE(::sigaction(number, &mine, &was) == 0);
        before.emplace_back(number, was);
    }
    {
        const companion other{[](const std::atomic<bool>& end) { computes_until(end); }};
        const errand::stack_probe probe{other.id()};
        CHECK_FALSE(probe.has_asked());
    }
    for (const auto& [number, was] : before) REQUIRE(::sigaction(number, &was, nullptr) == 0);
}

// In a process of its own, as a process decides once.
TEST_CASE("nobody is asked, and no signal taken", "[.without_stacks]") {
    errand::stack_probe::prepare();
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
        struct sigaction now{};
        REQUIRE(::sigaction(number, nullptr, &now) == 0);
        INFO("signal " << number);
        CHECK((now.sa_flags & SA_SIGINFO) == 0);
        CHECK(now.sa_handler == SIG_DFL);
    }
    const companion other{[](const std::atomic<bool>& end) { computes_until(end); }};
    const errand::stack_probe probe{other.id()};
    CHECK_FALSE(probe.has_asked());
}

TEST_CASE("with ERRAND_STACKS=off nobody is asked, and no signal taken") {
    std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::string tests = "[without_stacks]", off = "ERRAND_STACKS=off";
    std::array<char*, 3> arguments{self.data(), tests.data(), nullptr};
    std::vector<char*> environment{off.data()};
    for (char** one = environ; *one; ++one) {
        if (!std::string_view{*one}.starts_with("ERRAND_STACKS=")) environment.push_back(*one);
    }
    environment.push_back(nullptr);
    pid_t child = 0;
    REQUIRE(::posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments.data(), environment.data()) == 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("stacks are asked for, unless anything but that is said") {
    CHECK(errand::stacks_are_wanted(nullptr));
    for (const auto* said : {"on", "1", "true", "yes"}) CHECK(errand::stacks_are_wanted(said));
    for (const auto* said : {"off", "0", "false", "no", "", "of"})
        CHECK_FALSE(errand::stacks_are_wanted(said));
}

TEST_CASE("who sleeps is not to be asked") {
    const companion other{[](const std::atomic<bool>& end) {
        while (!end) std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }};
    errand::thread_state state;
    while (state.call.empty()) state = errand::state_of_thread(other.id());
    CHECK(state.call == "clock_nanosleep");
    CHECK_FALSE(state.may_be_asked);
}

TEST_CASE("a function is named as who wrote it knows it") {
    void* const address = reinterpret_cast<void*>(&length_of);
    const auto names = errand::frame_names(std::array<void*, 1>{address});
    REQUIRE(names.size() == 1);
    CHECK(
        names[0] ==
        "stack_test::length_of(std::string const&, std::vector<std::string, std::allocator<std::string > >)");
}

TEST_CASE("an address without a symbol is named by its file, and one of no file by itself") {
    const auto names = errand::frame_names(std::array<void*, 1>{reinterpret_cast<void*>(std::uintptr_t{16})});
    REQUIRE(names.size() == 1);
    CHECK(names[0] == "0x10");
}

TEST_CASE("a stack in words ends where handlers are called, and is cut") {
    CHECK(errand::stack_in_words({"a()", "b()", "boost::asio::detail::awaitable_thread<x>::pump()", "c()"}) ==
          "a() < b()");
    CHECK(errand::stack_in_words({std::string(200, 'x')}) == std::string(120, 'x') + "…");
    const auto many = errand::stack_in_words(std::vector<std::string>(40, "f()"));
    CHECK(many.ends_with("f() < …"));
    CHECK(std::ranges::count(many, '(') == 12);
}
