#include "client/prepared_submission.hpp"

#include <errand/error.hpp>

#include "core/bundles.hpp"
#include "core/collect_rules.hpp"
#include "core/config_text.hpp"
#include "core/member_check.hpp"
#include "core/policy_rules.hpp"
#include "core/random.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>
#include <unordered_set>

namespace errand {

namespace {

const policy& default_policy() {
    static const policy values{};
    return values;
}

const handler_settings& nothing_set() {
    static const handler_settings none{};
    return none;
}

const options& no_options() {
    static const options none{};
    return none;
}

on_conflict conflict_of(duplicate_rule rule) {
    switch (rule) {
    case duplicate_rule::replace: return on_conflict::replace;
    case duplicate_rule::reject: return on_conflict::reject;
    case duplicate_rule::keep_first: break;
    }
    return on_conflict::keep;
}

void check_payload(const detail::draft& from, const std::string& handler) {
    const auto limit = from.app->settings.max_payload;
    if (from.args.size() <= limit) return;
    throw bad_data{"args: " + std::to_string(from.args.size()) + " bytes of JSON for " + handler +
                   ", the limit is max_payload = " + std::to_string(limit) +
                   ": pass a reference to the data instead, or raise max_payload"};
}

// What this app keeps in memory no other program runs.
void check_runnable(const detail::draft& from, const known_handler* handler) {
    if (!handler || handler->code || !keeps_in_memory(from.app->settings)) return;
    throw usage_error{
        "handler " + handler->name +
        " is only declared in this program, and the tasks of an app on sqlite::memory: are run by it "
        "alone: link the source with ERRAND_DEFINE_HANDLER, or name a store with ERRAND_STORE"};
}

// perform_in and perform_at under the rules of the options of that name.
void check_due(const detail::draft& from, const std::string& handler) {
    if (!from.delay && !from.at) return;
    options due;
    due.delay = from.delay;
    due.at = from.at;
    check_options(handler, due);
}

// When it is due: what the call says goes before the options.
void set_due(prepared_submission& one, const detail::draft& from, const options& extra) {
    if (from.delay) {
        one.delay = *from.delay;
    } else if (from.at) {
        one.body.due_at = *from.at;
    } else if (extra.delay) {
        one.delay = *extra.delay;
    } else {
        one.body.due_at = extra.at;
    }
    if (one.delay && *one.delay <= duration{0}) one.delay.reset();
}

on_failed rule_of(dependency_rule rule) {
    switch (rule) {
    case dependency_rule::wait: return on_failed::wait;
    case dependency_rule::run: return on_failed::run;
    case dependency_rule::cancel_dependents: break;
    }
    return on_failed::cancel;
}

// What the submission says, what is set at run time, the policy.
void set_terms_of(prepared_submission& one, const options& extra, const handler_settings& set,
                  const policy& rules) {
    one.body.priority =
        static_cast<std::uint8_t>(extra.priority.value_or(set.priority.value_or(rules.priority)));
    one.body.timeout = extra.timeout;
    one.body.max_retry = extra.max_retry;
    one.body.retention = extra.retention;
    one.retention = extra.retention.value_or(set.retention.value_or(rules.retention));
    one.expires_after = extra.expires_after ? extra.expires_after
                        : set.expires_after ? set.expires_after
                                            : rules.expires_after;
    if (!extra.expires_after && set.expires_after == duration::zero()) one.expires_after.reset();
    // Also what it did not say itself: what expires by itself is known by its body.
    one.body.expires_after = one.expires_after;
    one.body.policy_expires = one.expires_after && !extra.expires_after;
}

// For so long a store can tell what was deleted from what was lost by a trace (lib_deleted.lua).
constexpr duration traced_for{std::chrono::hours{1}};

// What ends without an attempt is known by its body, and that its submitter knows by himself when a brief retention is over.
void keep_retention(prepared_submission& one, const options& extra) {
    one.body.retention = one.retention;
    one.body.policy_retains = !extra.retention;
}

// Each once, in the order given.
void set_parents(prepared_submission& one, const options& extra) {
    if (extra.after.empty()) return;
    std::unordered_set<task_id> seen;
    for (const auto& on : extra.after) {
        const auto id = required_task_id(on.id(), "options .after: ");
        if (!seen.insert(id).second) continue;
        one.after.push_back({id, on.accepted()});
        one.body.after.push_back(id);
    }
    one.body.rule = rule_of(extra.on_failed_dependency.value_or(cancel_dependents));
    keep_retention(one, extra);
}

// Items of one key come together in one shard; those with a biz_id stay where that places them. What is limited, and so the
// carriers of limited items, is in the first.
void choose_shard(prepared_submission& one, const known_handler& handler) {
    if (one.shards <= 1) return;
    if (one.bundle_place && !one.body.biz_id) {
        one.id.bytes[14] = static_cast<unsigned char>(*one.bundle_place >> 8U);
        one.id.bytes[15] = static_cast<unsigned char>(*one.bundle_place & 0xffU);
    }
    one.id = placed_id(handler, one.id, one.shards);
}

void set_id(prepared_submission& one, const detail::draft& from, const known_handler* handler) {
    if (one.body.biz_id) {
        one.id = derive_task_id(handler ? handler->identity : from.wire_name, *one.body.biz_id);
    } else {
        one.id = new_task_id(from.app->now().time_since_epoch().count());
    }
    one.shards = from.app->settings.shards;
    if (handler) choose_shard(one, *handler);
}

// A worker would find that it lacks them; so it need not, and waits in its turn from the beginning.
void limit_at_run_time(prepared_submission& one, const detail::app_core& app, const known_handler* handler) {
    if (handler && handler->policy.collect) return;
    if (const auto set = app.overrides.limits()) add_run_time_gates(*set, handler, one.body);
}

// The proxy knows the types alone, and what a program submits by name nobody has looked at.
void check_item(const detail::draft& from, const known_handler& handler) {
    if (!from.wire_name.empty() && !from.item) return;
    if (from.item == handler.policy.collect.has_value()) {
        check_collect_key(handler.name, from.collect_key);
        return;
    }
    if (from.item) {
        throw usage_error{
            "handler " + member_check::quote(handler.name) +
            ": its perform takes a list, and its policy has no .collect: give the whole list, or set "
            ".collect so that items are gathered"};
    }
    throw usage_error{"handler " + member_check::quote(handler.name) +
                      " collects: give one item to each call, not the list that perform takes, and none of "
                      "them as the result of what comes before in a chain"};
}

}  // namespace

prepared_submission prepare(detail::draft&& from, policy_source source) {
    prepared_submission one;
    prepare(one, std::move(from), source);
    return one;
}

void prepare(prepared_submission& one, detail::draft&& from, policy_source source) {
    const known_handler* handler =
        from.wire_name.empty() ? &handlers::of_type(from.handler) : handlers::find(from.wire_name);
    check_runnable(from, handler);
    const policy& rules = handler ? handler->policy : default_policy();
    const options& extra = from.extra ? *from.extra : no_options();

    one.body.handler = handler ? handler->name : from.wire_name;
    if (!handler) check_wire_name(from.wire_name);
    if (from.extra) check_options(one.body.handler, extra);
    check_payload(from, one.body.handler);
    one.body.args = std::move(from.args);
    one.body.queue = extra.queue.value_or(rules.queue);
    const auto set =
        source == policy_source::declared ? nullptr : from.app->overrides.of(handler, one.body.handler);
    set_terms_of(one, extra, set ? *set : nothing_set(), rules);
    const bool collects = handler && handler->policy.collect;
    if (handler) {
        check_item(from, *handler);
        // Of items those of their bundle's carrier count.
        if (!collects) one.body.gates = gates_of_task(*handler, from.keys, one.body.args);
        if (collects && from.item) one.bundle_place = place_of_bundle(handler->identity, from.collect_key);
    }
    one.body.biz_id = extra.biz_id ? extra.biz_id : std::move(from.biz_id);
    one.body.headers = extra.headers;
    one.body.tags = extra.tags;
    if (one.expires_after || one.retention < traced_for || collects) keep_retention(one, extra);
    check_due(from, one.body.handler);
    set_due(one, from, extra);
    if (!from.app->settings.shelf.empty() && rules.shelve_after > duration::zero()) {
        // Whether its handler ever shelves is known where it is: another task of the name would not be looked for on the shelf.
        const bool may_be_unlooked_for = !handler && one.body.biz_id;
        one.shelve_after = may_be_unlooked_for ? max_duration : rules.shelve_after;
    }
    set_parents(one, extra);
    if (one.body.biz_id) {
        check_biz_id(one.body.handler, *one.body.biz_id);
        one.conflict = conflict_of(extra.on_duplicate.value_or(rules.on_duplicate));
    }
    set_id(one, from, handler);
    if (from.app->overrides.any_limits()) limit_at_run_time(one, *from.app, handler);
}

void make_child_of(stage_run* stage, prepared_submission& one) {
    if (!stage || one.body.biz_id) return;
    const known_handler* handler = handlers::find(one.body.handler);
    // What it depends on tells it from others of the same arguments, as the members do a group.
    std::string call = one.body.args;
    for (const auto& parent : one.body.after) call += parent.view();
    one.child = stage->reserve_child(handler ? handler->identity : one.body.handler, call);
    one.conflict = on_conflict::adopt;
    one.id = one.child->id();
    if (handler) choose_shard(one, *handler);
}

submission_item item_of(prepared_submission&& one, time_point store_now, incarnation& life) {
    life = static_cast<std::uint64_t>(store_now.time_since_epoch().count()) << 16U |
           (next_serial().value_or(random_bits()) & 0xFFFFU);
    return item_of(std::move(one), life);
}

submission_item item_of(prepared_submission&& one, incarnation life) {
    one.body.life = life;
    submission_item item;
    item.id = one.id;
    item.at = one.body.due_at;
    item.delay = one.delay;
    if (one.delay) one.body.due_at = one.body.submitted_at() + *one.delay;
    item.body = encode(one.body);
    item.queue = std::move(one.body.queue);
    item.priority = one.body.priority;
    item.expires_after = one.expires_after;
    item.conflict = one.conflict;
    item.after = std::move(one.after);
    item.rule = one.body.rule;
    item.gated = !one.body.gates.empty();
    item.shelve_after = one.shelve_after;
    return item;
}

std::exception_ptr refusal(const submit_answer& answer, const task_id& id, const std::string& handler,
                           const std::optional<std::string>& biz_id, on_conflict conflict) {
    if (answer.verdict == submit_verdict::rejected) {
        const std::string why =
            conflict == on_conflict::replace
                ? "it has started, or waits for over 500 tasks: its arguments cannot be replaced any more"
                : "on_duplicate is reject";
        return std::make_exception_ptr(duplicate_task{"task " + to_text(id) + " of " + handler +
                                                      " holds the biz_id \"" + biz_id.value_or("") +
                                                      "\" and " + why});
    }
    if (answer.verdict == submit_verdict::withheld) {
        return std::make_exception_ptr(store_error{
            "task of " + handler + " was not submitted: another task of its transaction was refused"});
    }
    return nullptr;
}

}  // namespace errand
