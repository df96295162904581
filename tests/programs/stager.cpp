// A worker that kills itself at a step of a five-stage task.
//   stager JOURNAL [STEP]
// Steps: before1, in1, end1, lost1, after1, before2, …, and submitted3, awaited3 around the child. At lost<n> it waits
// until the file JOURNAL.go is there, so that the test can hold the store's answers back and kill it then.
// Lines of the journal are `what id attempt fence pid`, written at once: run<n> when stage n runs, kept<n> when its result
// was stored, child when a child runs, wait when it waits for the file.
#include "fault/stages.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <string>
#include <unistd.h>

namespace asio = boost::asio;
using errand::awaitable;

namespace {

struct stepper {
    stepper(const std::string& path, std::string until)
        : go{path + ".go"},
          step{std::move(until)},
          file{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)} {}

    void note(const std::string& what, const errand::task_context& task) const {
        const auto line = what + ' ' + task.id() + ' ' + std::to_string(task.attempt()) + ' ' +
                          std::to_string(task.fence()) + ' ' + std::to_string(::getpid()) + '\n';
        if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
    }

    void pass(const std::string& here) const {
        if (here == step) ::kill(::getpid(), SIGKILL);
    }

    std::string go;
    std::string step;
    int file;
};

stepper* steps = nullptr;

awaitable<void> breathe() {
    asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::milliseconds{1}};
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

struct child_of_stage {
    awaitable<std::int64_t> perform(std::int64_t value) {
        steps->note("child", co_await errand::this_task());
        co_await breathe();
        co_return fault_test::child_of(value);
    }
};
ERRAND_HANDLER(child_of_stage)

namespace {

errand::app* here = nullptr;

awaitable<std::int64_t> run_stage(const errand::task_context& self, int at, std::int64_t value) {
    const auto number = std::to_string(at);
    steps->note("run" + number, self);
    steps->pass("in" + number);
    co_await breathe();
    if (at == fault_test::stage_with_child) {
        auto child = co_await here->handler<child_of_stage>().perform_async(value);
        steps->pass("submitted" + number);
        value = co_await child;
        steps->pass("awaited" + number);
    }
    if (steps->step == "lost" + number) {
        steps->note("wait", self);
        while (!std::filesystem::exists(steps->go)) co_await breathe();
    }
    steps->pass("end" + number);
    co_return value * 31 + at;
}

}  // namespace

awaitable<std::int64_t> fault_test::five_stages::perform(std::int64_t value) {
    auto& self = co_await errand::this_task();
    for (int at = 1; at <= stages_in_all; ++at) {
        const auto number = std::to_string(at);
        steps->pass("before" + number);
        value = co_await self.stage("stage " + number, [&] { return run_stage(self, at, value); });
        steps->note("kept" + number, self);
        steps->pass("after" + number);
    }
    co_return value;
}
ERRAND_DEFINE_HANDLER(fault_test::five_stages)

int main(int count, char** words) try {
    if (count < 2) return 2;
    stepper all{words[1], count > 2 ? words[2] : ""};
    errand::app app;
    steps = &all;
    here = &app;
    return app.run();
} catch (const std::exception& e) {
    std::fprintf(stderr, "stager: %s\n", e.what());
    return 1;
}
