// Runs one stage for a handler: its stored result, or tries until one succeeds or none is left, then its storing.
#pragma once

#include <errand/detail/stage_call.hpp>
#include <errand/stage.hpp>

#include "runtime/loop.hpp"
#include "runtime/stage_run.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <string>

namespace errand {

class active_task;

// On whatever executor the handler called it; attempt_stages is asked on the task's home loop. Must outlive its run().
class stage_runner {
public:
    stage_runner(active_task& task, loop& home, std::string name, stage_options how,
                 const detail::stage_body& body);

    // The result as JSON text.
    awaitable<std::string> run();

private:
    using steady = std::chrono::steady_clock;

    // How a try has ended.
    struct try_end {
        std::string text;
        std::exception_ptr failure;
        bool returned = false;    // the stage's function has
        bool moved_past = false;  // the clock was moved past its timeout
        steady::time_point from{}, to{};
    };

    awaitable<void> work(try_end& end);
    // `inside`: an executor that carries the stage.
    awaitable<try_end> try_once(boost::asio::any_io_executor inside);
    // Throws nothing: what fails is the failure of `end`.
    awaitable<void> keep(try_end& end);
    awaitable<void> keep_on(loop& home, const try_end& end);
    awaitable<void> forget(const stage_run& of);
    // Whether it is tried again; the failure is as it will be thrown.
    bool goes_on(try_end& end, int retries, bool cancelled) const;
    awaitable<void> wait(const try_end& end, int retries);

    active_task& task_;
    loop& home_;
    const std::string name_;
    const stage_options how_;
    const detail::stage_body& body_;
};

}  // namespace errand
