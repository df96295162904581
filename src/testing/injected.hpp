// Failures that a test has ordered: a wrapper around the handler itself, inside of all others.
#pragma once

#include "runtime/app_core.hpp"

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <string>

namespace errand::testing {

class injected_failures {
public:
    explicit injected_failures(detail::app_core& app);

    void order(const std::string& handler, const std::exception_ptr& failure, int times);
    // Those that were added since stand outside.
    void stay_innermost();

private:
    using orders = std::map<std::string, std::deque<std::exception_ptr>>;

    static awaitable<void> call(std::shared_ptr<orders> ordered, task_context& task, next_step next);

    detail::app_core& app_;
    std::shared_ptr<orders> orders_ = std::make_shared<orders>();
    std::size_t at_;
};

}  // namespace errand::testing
