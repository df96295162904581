// Limits as callers see and set them at run time.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/limit.hpp>

#include "client/own_limits.hpp"
#include "core/limit_rules.hpp"
#include "core/member_check.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/declared_limits.hpp"
#include "runtime/handlers.hpp"
#include "runtime/policy_cards.hpp"

#include <algorithm>
#include <string_view>

namespace errand {
namespace {

std::vector<std::string> limits_known_here() {
    auto names = declared_limits::names();
    for (const auto* handler : handlers::all()) names.push_back(limit_of_handler(handler->identity));
    return names;
}

// Of handlers that workers know.
awaitable<void> add_limits_of_workers(store& in, std::vector<std::string>& names) {
    for (const auto& worker : co_await in.workers()) {
        for (const auto& [handler, policy] : handlers_in(worker.card).policies)
            names.push_back(limit_of_handler(handler));
    }
}

[[noreturn]] void refuse_unknown_limit(const std::string& name, const std::vector<std::string>& known) {
    const auto nearest = nearest_name(name, known);
    throw usage_error{"limit " + member_check::quote(name) + ": there is none of that name" +
                      (nearest.empty()
                           ? ", nor any other: declare one as an errand::limit, or say \"handler:NAME\", "
                             "\"queue:NAME\" or \"namespace\""
                           : "; the nearest is " + member_check::quote(nearest))};
}

// Any queue may be limited: it may come to be later.
bool needs_no_declaration(std::string_view name) {
    return is_own_limit(name) && !name.starts_with("handler:");
}

awaitable<void> find_limit(store& in, const std::string& name) {
    if (needs_no_declaration(name)) co_return;
    auto known = limits_known_here();
    const auto is_known = [&] { return std::ranges::find(known, name) != known.end(); };
    if (is_known()) co_return;
    for (const auto& one : co_await in.limits()) known.push_back(one.name);
    if (is_known()) co_return;
    co_await add_limits_of_workers(in, known);
    if (!is_known()) refuse_unknown_limit(name, known);
}

awaitable<void> set_limit_on(loop& there, std::string name, std::optional<limit_rule> rule) {
    auto& in = there.tasks();
    co_await find_limit(in, name);
    if (!is_own_limit(name)) co_return co_await in.set_limit(name, std::move(rule));
    co_await set_own_limit(there, name, std::move(rule));
}

awaitable<std::vector<limit_info>> list_limits_on(loop& there) {
    std::vector<limit_info> all;
    for (auto& one : co_await there.tasks().limits()) {
        all.push_back({.name = std::move(one.name),
                       .declared = std::move(one.declared),
                       .set = std::move(one.set),
                       .running = one.running,
                       .waiting = one.waiting,
                       .opens_at = one.opens_at,
                       .throttled = one.throttled});
    }
    std::ranges::sort(all, {}, &limit_info::name);
    co_return all;
}

}  // namespace

awaitable<void> detail::set_limit(app_core& app, std::string name, std::optional<limit_rule> rule) {
    name = own_name_of_limit(std::move(name));
    check_own_limit(name);
    if (rule) check_limit_rule(name, *rule);
    return on_caller_loop(&app, [name = std::move(name), rule = std::move(rule)](loop& there) {
        return set_limit_on(there, name, rule);
    });
}

awaitable<std::vector<limit_info>> detail::list_limits(app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return list_limits_on(there); });
}

}  // namespace errand
