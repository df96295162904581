#include "testing/injected.hpp"

#include "worker/active_task.hpp"

#include <algorithm>

namespace errand::testing {

injected_failures::injected_failures(detail::app_core& app) : app_{app}, at_{app.perform_wrappers.size()} {
    app_.perform_wrappers.push_back([ordered = orders_](task_context& task, next_step next) {
        return call(ordered, task, std::move(next));
    });
}

void injected_failures::order(const std::string& handler, const std::exception_ptr& failure, int times) {
    auto& line = (*orders_)[handler];
    line.insert(line.end(), static_cast<std::size_t>(times), failure);
}

void injected_failures::stay_innermost() {
    auto& all = app_.perform_wrappers;
    const auto mine = all.begin() + static_cast<std::ptrdiff_t>(at_);
    std::rotate(mine, mine + 1, all.end());
    at_ = all.size() - 1;
}

awaitable<void> injected_failures::call(std::shared_ptr<orders> ordered, task_context& task, next_step next) {
    const auto at = ordered->find(task.handler());
    if (at == ordered->end() || at->second.empty()) {
        co_await next();
        co_return;
    }
    const auto failure = at->second.front();
    at->second.pop_front();
    // Thrown as by the handler itself, whose arguments had been read by then: bad_data means that too.
    static_cast<active_task&>(task).stage = detail::call_stage::performing;
    std::rethrow_exception(failure);
}

}  // namespace errand::testing
