// A worker that writes down which tick each run was made for.
//   ticker work JOURNAL
// Lines of the journal are `tick id attempt ms pid`, written at once.
#include "fault/ticks.hpp"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {
int file = -1;
}

errand::awaitable<void> fault_test::writes_tick::perform() {
    auto& self = co_await errand::this_task();
    const auto tick = self.schedule()->tick().time_since_epoch().count();
    const auto line = "tick " + self.id() + ' ' + std::to_string(self.attempt()) + ' ' +
                      std::to_string(tick) + ' ' + std::to_string(::getpid()) + '\n';
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}
ERRAND_DEFINE_HANDLER(fault_test::writes_tick)

int main(int count, char** words) try {
    if (count < 3) return 2;
    file = ::open(words[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    errand::app app;
    return app.run();
} catch (const std::exception& e) {
    std::fprintf(stderr, "ticker: %s\n", e.what());
    return 1;
}
