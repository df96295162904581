// What the tests of stages share.
#pragma once

#include "worker/handlers.hpp"

#include <functional>
#include <string>
#include <utility>

namespace stage_test {

using namespace worker_test;
using errand::awaitable;
using errand::task_context;

inline awaitable<int> counted(diary& book, std::string what, int value) {
    book.note(what);
    co_return value;
}

// The error with which a task ends whose only attempt does this.
inline std::string failure_of(bench& t, std::function<awaitable<int>(task_context&)> body) {
    t.book.body = std::move(body);
    return text_of(end_of(t, submit(t, {.max_retry = 0})));
}

}  // namespace stage_test
