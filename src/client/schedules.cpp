// Schedules are declared: options over policy, checks, then the open transaction or the step that makes or changes one.
#include <errand/error.hpp>
#include <errand/schedule.hpp>

#include "client/policy_schedules.hpp"
#include "client/prepared_submission.hpp"
#include "client/schedule_change.hpp"
#include "client/submit_steps.hpp"
#include "client/within_quota.hpp"
#include "core/policy_rules.hpp"
#include "core/schedule_checks.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"
#include "runtime/task_gates.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>

namespace errand {
namespace {

schedule_timing declared_timing(const detail::schedule_draft& one, const policy& rules) {
    schedule_timing timing{.begin = one.how.begin, .end = one.how.end};
    if (one.cron) {
        timing.cron = *one.cron;
        timing.timezone = one.how.timezone.empty() ? rules.timezone : one.how.timezone;
    } else {
        timing.interval = one.interval;
        timing.mode = one.how.mode;
    }
    return timing;
}

// What a run is made of; what is set at run time may be another when it runs.
task_body run_body_of(detail::draft of_runs) {
    of_runs.biz_id.reset();
    return prepare(std::move(of_runs), policy_source::declared).body;
}

// Whose it is: of a handler that was named this program may know nothing.
struct schedule_holder {
    std::string name;
    std::string identity;
    policy rules{};
    bool gated = false;
};

schedule_holder holder_of(const detail::draft& runs) {
    const auto* known =
        runs.wire_name.empty() ? &handlers::of_type(runs.handler) : handlers::find(runs.wire_name);
    if (!known) {
        check_wire_name(runs.wire_name);
        return {.name = runs.wire_name, .identity = runs.wire_name};
    }
    return {
        .name = known->name, .identity = known->identity, .rules = known->policy, .gated = has_gates(*known)};
}

// Throws usage_error, bad_data.
schedule_record prepared_schedule(detail::schedule_draft one) {
    const auto handler = holder_of(one.run);
    auto& how = one.how;
    if (one.run.extra) how.run = options_over(how.run, *one.run.extra);
    check_schedule(handler.name, how, one.interval, one.cron.has_value());
    schedule_record record;
    record.identity = handler.identity;
    record.timing = declared_timing(one, handler.rules);
    record.key = how.key.empty() ? default_schedule_key(record.timing, one.run.args) : how.key;
    if (one.cron) {
        check_cron(handler.name, "schedule", *one.cron, {.handler = record.identity, .key = record.key});
        check_zone(handler.name, "schedule", record.timing.timezone, one.run.app->zone_finder());
    }
    record.terms = {.max_runs = how.max_runs,
                    .overlap = how.overlap,
                    .missed = how.missed,
                    .missed_cap = how.missed_cap,
                    .jitter = how.jitter,
                    .pause_on_dead = how.pause_on_dead};
    if (how.paused) record.state = schedule_state::paused;
    record.in_first_shard = one.run.app->settings.shards > 1 && handler.gated;
    one.run.extra = std::make_shared<const options>(std::move(how.run));
    record.run = run_body_of(std::move(one.run));
    return record;
}

awaitable<void> declare_schedule_on(loop& there, detail::app_core& app, schedule_record declared) {
    if (const auto rules = app.overrides.quota_rules()) {
        if (auto why = payload_refusal(app, *rules, declared.run.handler, declared.run.args.size()))
            std::rethrow_exception(why);
    }
    std::vector<schedule_record> one;
    one.push_back(std::move(declared));
    co_await need_schedule_quota(there.tasks(), app, one);
    co_await declare_all(there.tasks(), std::move(one), app.zone_finder());
}

// ---- what policies say ----

// The handlers whose code is here, by the schedule that their policy may declare.
using policy_holders = std::map<task_id, const known_handler*>;

schedule_record name_of_policy(const known_handler& handler, std::size_t shards) {
    schedule_record record;
    record.identity = handler.identity;
    record.key = policy_schedule_key;
    record.in_first_shard = shards > 1 && has_gates(handler);
    return record;
}

schedule_record policy_record(detail::app_core& app, const known_handler& handler) {
    auto record = name_of_policy(handler, app.settings.shards);
    record.timing.cron = handler.policy.cron;
    record.timing.timezone = handler.policy.timezone;
    detail::draft of_runs;
    of_runs.app = &app;
    of_runs.wire_name = handler.name;
    of_runs.args = "[]";
    record.run = run_body_of(std::move(of_runs));
    return record;
}

// What is still to be declared of one namespace, and what was taken out of places that it has left.
struct policy_round {
    policy_holders left;
    moved_schedules moved;
};

// Throws usage_error where this machine has no zones.
std::shared_ptr<policy_round> round_of(detail::app_core& app) {
    auto all = std::make_shared<policy_round>();
    for (const auto* handler : handlers::all()) {
        if (!handler->code) continue;
        if (!handler->policy.cron.empty())
            check_zone(handler->name, "policy", handler->policy.timezone, app.zone_finder());
        all->left.emplace(id_of(name_of_policy(*handler, app.settings.shards)), handler);
    }
    return all;
}

awaitable<bool> declare_policies_on(loop& there, detail::app_core* app, std::shared_ptr<policy_round> round) {
    auto& in = there.tasks();
    std::vector<std::size_t> away;
    if (in.shards() > 1) away = co_await in.away();
    const auto is_away = [&](const task_id& id) { return std::ranges::count(away, in.shard_of(id)) > 0; };
    std::vector<task_id> ids, others;
    for (const auto& [id, handler] : round->left) {
        const auto other = other_place(name_of_policy(*handler, in.shards()), in.shards());
        // Workers start without a server that is away. One that may have to move needs both places.
        if (is_away(id) || (other && is_away(*other))) continue;
        ids.push_back(id);
        if (other) others.push_back(*other);
    }
    const auto zones = app->zone_finder();
    const auto rule = [&](const seen_schedule& seen) {
        const auto& handler = *round->left.at(seen.id);
        if (!handler.policy.cron.empty())
            return declare_here(seen, policy_record(*app, handler), round->moved, zones);
        return seen.record ? cancel(*seen.record, seen.now) : schedule_move{};
    };
    std::exception_ptr failure;
    try {
        auto moved = co_await leave_places(in, std::move(others));
        round->moved.merge(moved);
        co_await change_schedules(in, ids, rule);
    } catch (const bad_data& e) {
        // A later version has written one of them: no reason to run nothing.
        app->log->error("schedules of policies stay as they are: {}", e.what());
    } catch (const store_error&) {
        failure = std::current_exception();
    }
    if (failure) {
        if (in.shards() > 1) away = co_await in.away();
        if (away.empty()) std::rethrow_exception(failure);
        co_return false;  // one has gone since: all of them once more
    }
    for (const auto& id : ids) round->left.erase(id);
    co_return round->left.empty();
}

awaitable<bool> declare_round(detail::app_core& app, std::shared_ptr<policy_round> round) {
    if (round->left.empty()) return []() -> awaitable<bool> { co_return true; }();
    return on_loop_of(&app, [app = &app, round = std::move(round)](loop& there) {
        return declare_policies_on(there, app, round);
    });
}

}  // namespace

awaitable<bool> declare_policy_schedules(detail::app_core& app) { return declare_round(app, round_of(app)); }

std::function<awaitable<bool>(detail::app_core&)> policy_declarations() {
    using rounds = std::map<const detail::app_core*, std::shared_ptr<policy_round>>;
    return [all = std::make_shared<rounds>()](detail::app_core& app) {
        auto& mine = (*all)[&app];
        if (!mine) mine = round_of(app);
        return declare_round(app, mine);
    };
}

awaitable<schedule> detail::declare_schedule(schedule_draft one) {
    const auto executor = co_await boost::asio::this_coro::executor;
    choose_core(one.run, executor);
    auto& app = *one.run.app;
    const auto held = transaction_of(one.run, ambient_of(executor));
    auto record = prepared_schedule(std::move(one));
    const auto id = id_of(record);
    if (held) {
        held->hold(std::move(record));
    } else {
        co_await on_loop(caller_loop(executor, app),
                         [&](loop& there) { return declare_schedule_on(there, app, std::move(record)); });
    }
    co_return schedule{app, id.bytes};
}

}  // namespace errand
