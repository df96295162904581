#include "runtime/handler_limits.hpp"

#include "core/limit_rules.hpp"
#include "runtime/declared_limits.hpp"
#include "runtime/task_gates.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace errand {
namespace {

std::vector<named_limit> limits_of_handlers() {
    std::vector<named_limit> all;
    std::set<std::string> shared;
    for (const auto* handler : handlers::all()) {
        if (!handler->code) continue;
        const auto& rules = handler->policy;
        if (has_own_limit(*handler)) {
            all.push_back({.name = limit_of_handler(handler->identity),
                           .rule = {.max_running = rules.max_running, .rate = rules.rate}});
        }
        shared.insert(rules.limits.begin(), rules.limits.end());
    }
    for (const auto& name : shared) all.push_back(*declared_limits::find(name));
    return all;
}

std::set<std::string> unlimited_handlers() {
    std::set<std::string> names;
    for (const auto* handler : handlers::all()) {
        if (handler->code && !has_own_limit(*handler)) names.insert(limit_of_handler(handler->identity));
    }
    return names;
}

}  // namespace

awaitable<std::vector<std::string>> declare_handler_limits(store& in) {
    auto all = limits_of_handlers();
    const auto unlimited = unlimited_handlers();
    std::vector<std::string> differences;
    if (all.empty() && unlimited.empty()) co_return differences;
    for (const auto& known : co_await in.limits()) {
        if (!known.declared) continue;
        if (*known.declared != limit_rule{} && unlimited.contains(known.name))
            all.push_back({.name = known.name, .rule = {}});
        const auto mine = std::ranges::find(all, known.name, &named_limit::name);
        if (mine == all.end() || mine->rule == *known.declared) continue;
        differences.push_back(known.name + ": " + limit_in_words(mine->rule) + ", before " +
                              limit_in_words(*known.declared));
    }
    if (!all.empty()) co_await in.declare_limits(all);
    co_return differences;
}

awaitable<std::size_t> restore_handler_limits(store& in) {
    auto lost = limits_of_handlers();
    if (lost.empty()) co_return 0;
    for (const auto& known : co_await in.limits()) {
        if (known.declared)
            std::erase_if(lost, [&](const named_limit& one) { return one.name == known.name; });
    }
    if (!lost.empty()) co_await in.declare_limits(lost);
    co_return lost.size();
}

}  // namespace errand
