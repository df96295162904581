#pragma once

#include <errand/awaitable.hpp>
#include <errand/options.hpp>

#include <functional>
#include <string>

namespace errand {

class task_context;

/// Goes on with what is wrapped: `co_await next();`, once.
using next_step = std::function<awaitable<void>()>;

/// A submission on its way, as `around_submit` sees it. What it changes is what is submitted.
struct submission {
    /// The handler's name on the wire.
    std::string handler;
    /// The arguments: a JSON array, as text.
    std::string args;
    /// The options given with it; `headers` is the place for what travels along.
    errand::options options;
};

/// Wraps an attempt: `[](errand::task_context& task, errand::next_step next) -> errand::awaitable<void> {…}`. What it
/// throws counts as the attempt's failure; when it returns without having awaited `next`, the attempt fails with a usage_error
/// that says so, for the handler has not run.
using perform_wrapper = std::function<awaitable<void>(task_context&, next_step)>;

/// Wraps a submission. What it throws is thrown to the submitter; when it does not call `next`, nothing is submitted
/// and the submitter gets a usage_error.
using submit_wrapper = std::function<awaitable<void>(submission&, next_step)>;

}  // namespace errand
