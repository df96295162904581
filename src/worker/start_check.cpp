#include "worker/start_check.hpp"

#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"

#include <map>
#include <string>

namespace errand {
namespace {

void refuse_missing_beans(const detail::app_core& app) {
    std::vector<std::string> missing;
    for (const auto* one : handlers::all()) {
        if (!one->code) continue;
        for (auto& sentence : one->code->missing(app.beans)) missing.push_back(std::move(sentence));
    }
    detail::refuse_missing(missing);
}

void refuse_failing_constructors(const detail::app_core& app) {
    std::string failed;
    for (const auto* one : handlers::all()) {
        if (!one->code) continue;
        try {
            one->code->try_build(app.beans);
        } catch (...) {
            failed +=
                (failed.empty() ? "" : "; ") + one->name + ": " + describe(std::current_exception()).message;
        }
    }
    if (!failed.empty()) throw usage_error{"handlers that cannot be built: " + failed};
}

}  // namespace

void check_handlers(const detail::app_core& app) {
    refuse_missing_beans(app);
    refuse_failing_constructors(app);
}

queue_choice queues_of(const detail::app_core& app) {
    auto weights = app.settings.queues;
    if (weights.empty()) {
        for (const auto* one : handlers::all()) {
            if (one->code) weights.emplace(one->policy.queue, 1);
        }
    }
    if (weights.empty()) {
        throw usage_error{
            "this program has nothing to work on: it defines no handler (ERRAND_HANDLER or "
            "ERRAND_DEFINE_HANDLER; handlers in a static library need errand_handlers(target) in CMake) and names no queues"};
    }
    return queue_choice{weights, app.settings.strict_queues};
}

}  // namespace errand
