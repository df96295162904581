// Limits as callers see and set them at run time.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/limit.hpp>

#include "core/limit_rules.hpp"
#include "core/member_check.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/declared_limits.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>
#include <string_view>

namespace errand {
namespace {

// A handler's limit goes by its oldest name, whichever is given.
std::string own_name_of_limit(std::string name) {
    constexpr std::string_view prefix = "handler:";
    if (!name.starts_with(prefix)) return name;
    const auto* handler = handlers::find(std::string_view{name}.substr(prefix.size()));
    return handler ? limit_of_handler(handler->identity) : name;
}

std::vector<std::string> limits_known_here() {
    auto names = declared_limits::names();
    for (const auto* handler : handlers::all()) {
        if (has_own_limit(*handler)) names.push_back(limit_of_handler(handler->identity));
    }
    return names;
}

[[noreturn]] void refuse_unknown_limit(const std::string& name, const std::vector<std::string>& known) {
    const auto nearest = nearest_name(name, known);
    throw usage_error{
        "limit " + member_check::quote(name) + ": there is none of that name" +
        (nearest.empty() ? ", nor any other: declare one as an errand::limit, or give a handler .max_running "
                           "or .rate"
                         : "; the nearest is " + member_check::quote(nearest))};
}

awaitable<void> set_limit_on(loop& there, std::string name, std::optional<limit_rule> rule) {
    auto known = limits_known_here();
    if (std::ranges::find(known, name) == known.end()) {
        for (const auto& one : co_await there.tasks().limits()) known.push_back(one.name);
        if (std::ranges::find(known, name) == known.end()) refuse_unknown_limit(name, known);
    }
    co_await there.tasks().set_limit(name, std::move(rule));
}

awaitable<std::vector<limit_info>> list_limits_on(loop& there) {
    std::vector<limit_info> all;
    for (auto& one : co_await there.tasks().limits()) {
        all.push_back({.name = std::move(one.name),
                       .declared = std::move(one.declared),
                       .set = std::move(one.set),
                       .running = one.running,
                       .waiting = one.waiting,
                       .opens_at = one.opens_at});
    }
    std::ranges::sort(all, {}, &limit_info::name);
    co_return all;
}

}  // namespace

awaitable<void> detail::set_limit(app_core& app, std::string name, std::optional<limit_rule> rule) {
    name = own_name_of_limit(std::move(name));
    if (rule) check_limit_rule(name, *rule);
    return on_caller_loop(&app, [name = std::move(name), rule = std::move(rule)](loop& there) {
        return set_limit_on(there, name, rule);
    });
}

awaitable<std::vector<limit_info>> detail::list_limits(app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return list_limits_on(there); });
}

}  // namespace errand
