// Requests that stand in line for one call after the other.
#pragma once

#include <errand/awaitable.hpp>

#include <deque>
#include <exception>
#include <memory>
#include <utility>

namespace errand::web {

// Until nobody stands in `line` any more. `next` takes out those whose turn it is, and tells them what came of it; when it throws,
// before it knows whose turn it is say, `fail` is told of each who is left there, and the line goes on with those who come then.
template <class Request, class Next, class Fail>
awaitable<void> serve_line(std::deque<std::shared_ptr<Request>>& line, Next next, Fail fail) {
    while (!line.empty()) {
        std::exception_ptr why;
        try {
            co_await next();
        } catch (...) {
            why = std::current_exception();
        }
        if (!why) continue;
        const auto left = std::exchange(line, {});
        for (const auto& one : left) fail(*one, why);
    }
}

}  // namespace errand::web
