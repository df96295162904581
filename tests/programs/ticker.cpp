// A worker that writes down which tick each run was made for, and from when to when tasks ran.
//   ticker work JOURNAL
// Lines of the journal are `tick id attempt ms pid`, and `begun` or `done` likewise, with the ms of steady_clock; written at once.
#include "fault/ticks.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace asio = boost::asio;

namespace {
int file = -1;

void write_down(const char* what, const errand::task_context& of, std::int64_t ms) {
    const auto line = std::string{what} + ' ' + of.id() + ' ' + std::to_string(of.attempt()) + ' ' +
                      std::to_string(ms) + ' ' + std::to_string(::getpid()) + '\n';
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

std::int64_t steady_ms() {
    return std::chrono::duration_cast<errand::duration>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
}  // namespace

errand::awaitable<void> fault_test::writes_tick::perform() {
    auto& self = co_await errand::this_task();
    write_down("tick", self, self.schedule()->tick().time_since_epoch().count());
}
ERRAND_DEFINE_HANDLER(fault_test::writes_tick)

errand::awaitable<void> fault_test::one_of_three::perform(int) {
    auto& self = co_await errand::this_task();
    write_down("begun", self, steady_ms());
    asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::milliseconds{50}};
    co_await timer.async_wait(asio::use_awaitable);
    write_down("done", self, steady_ms());
}
ERRAND_DEFINE_HANDLER(fault_test::one_of_three)

int main(int count, char** words) try {
    if (count < 3) return 2;
    file = ::open(words[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    errand::app app;
    return app.run();
} catch (const std::exception& e) {
    std::fprintf(stderr, "ticker: %s\n", e.what());
    return 1;
}
