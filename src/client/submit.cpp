// From a draft to an accepted task: around_submit, options over policy, then the store or the open transaction.
#include <errand/error.hpp>
#include <errand/handle.hpp>
#include <errand/transaction.hpp>

#include "client/open_transaction.hpp"
#include "client/prepared_submission.hpp"
#include "client/settle_submission.hpp"
#include "client/submission_span.hpp"
#include "client/submit_steps.hpp"
#include "client/within_quota.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"
#include "runtime/task_event.hpp"
#include "runtime/task_gates.hpp"

namespace errand::detail {

namespace asio = boost::asio;

namespace {

awaitable<void> need_quota_for(loop& there, const app_core& app, prepared_submission& one) {
    const auto rules = app.overrides.quota_rules();
    if (!rules) co_return;
    count_what_runs(*rules, one.body);
    if (auto why = payload_refusal(app, *rules, one.body.handler, one.body.args.size()))
        std::rethrow_exception(why);
    co_await need_quota(there, app, 1);
}

// One direct submission on its loop. The caller keeps it until then: each move of one costs as much as a small allocation.
awaitable<task_ref> send_one(loop& there, app_core& app, prepared_submission&& one) {
    if (app.overrides.any_quota()) co_await need_quota_for(there, app, one);
    const task_id id = one.id;
    const on_conflict conflict = one.conflict;
    // Only a refusal needs words, and only a biz_id or dependencies can be refused.
    const bool refusable = one.body.biz_id || !one.after.empty();
    std::string handler = refusable ? one.body.handler : std::string{};
    auto biz_id = one.body.biz_id;
    const auto retention = one.retention;
    const auto child = one.child;
    incarnation life = 0;
    auto item = item_of(std::move(one), there.tasks().now(), life);
    // Only these may take more than one call.
    const bool may_take_more = biz_id || item.waits() || item.conflict != on_conflict::keep;
    auto again = may_take_more ? std::optional{item} : std::nullopt;
    std::optional<submit_answer> refused;
    if (!item.after.empty() && there.tasks().shards() > 1)
        refused = co_await foreseen_refusal(there.tasks(), item);
    auto answer = refused ? std::move(*refused) : co_await there.submissions().submit(std::move(item));
    if (may_take_more) answer = co_await settle_submission(there, std::move(*again), std::move(answer));
    if (!answer.others.empty()) {
        task_names known{{id, name_of(id, handler, biz_id)}};
        std::rethrow_exception(co_await dependency_refusal(there.tasks(), std::move(answer),
                                                           std::move(known)));
    }
    if (auto why = refusal(answer, id, handler, biz_id, conflict)) std::rethrow_exception(why);
    if (child) child->keep();
    co_return ref_of(app, id, life, answer, retention);
}

std::string words_of(const std::exception_ptr& why) {
    try {
        std::rethrow_exception(why);
    } catch (const std::exception& e) {
        return e.what();
    }
}

event submission_event(const prepared_submission& one, time_point now) {
    auto said = task_event(event_kind::task_submitted, one.id, one.body);
    said.submitted_at = now;
    said.due_at = one.delay ? now + *one.delay : one.body.due_at.value_or(now);
    return said;
}

event_kind kind_of(bool duplicate, const std::exception_ptr& refused) noexcept {
    if (refused) return event_kind::submission_refused;
    return duplicate ? event_kind::task_duplicate : event_kind::task_submitted;
}

void tell(const app_core& app, event said, bool duplicate, const std::exception_ptr& refused) {
    said.kind = kind_of(duplicate, refused);
    if (refused) said.text = words_of(refused);
    app.events.publish(std::move(said));
}

// Calls `said` with whether it met another one, and why it was refused.
template <class Said>
awaitable<task_ref> send_and_say(loop& there, app_core& app, prepared_submission&& one, Said said) {
    std::exception_ptr refused;
    task_ref got;
    try {
        got = co_await send_one(there, app, std::move(one));
    } catch (...) {
        refused = std::current_exception();
    }
    said(got.duplicate, refused);
    if (refused) std::rethrow_exception(refused);
    co_return got;
}

// No coroutine of its own: most programs listen to nothing.
awaitable<task_ref> send(loop& there, app_core& app, prepared_submission&& one) {
    if (app.events.listened()) {
        auto aloud = [&app, said = submission_event(one, there.tasks().now())](
                         bool duplicate, const std::exception_ptr& refused) mutable {
            tell(app, std::move(said), duplicate, refused);
        };
        return send_and_say(there, app, std::move(one), std::move(aloud));
    }
    if (app.events.heard()) {
        auto counted = [&app, queue = one.body.queue,
                        handler = one.body.handler](bool duplicate, const std::exception_ptr& refused) {
            app.events.count({.kind = kind_of(duplicate, refused), .queue = queue, .handler = handler});
        };
        return send_and_say(there, app, std::move(one), std::move(counted));
    }
    return send_one(there, app, std::move(one));
}

struct bulk_result {
    std::vector<task_ref> refs;
    std::vector<std::exception_ptr> errors;  // empty when there is none
};

// Brings one item of many to its final answer; why it was refused because of what it depends on.
awaitable<std::exception_ptr> settle_one(loop& there, submission_item& item, submit_answer& answer,
                                         std::string name) {
    try {
        const auto id = item.id;
        answer = co_await settle_submission(there, std::move(item), std::move(answer));
        if (answer.others.empty()) co_return nullptr;
        co_return co_await dependency_refusal(there.tasks(), answer, {{id, std::move(name)}});
    } catch (...) {
        co_return std::current_exception();
    }
}

awaitable<bulk_result> send_bulk(loop& there, app_core& app, std::vector<prepared_submission> all) {
    const std::size_t n = all.size();
    bulk_result out;
    std::vector<incarnation> lives(n);
    // Only a refusal needs words, and only a biz_id can be refused.
    std::vector<std::pair<std::string, std::optional<std::string>>> words(n);
    std::vector<std::shared_ptr<reserved_child>> children(n);
    std::vector<submission_item> items;
    items.reserve(n);
    std::vector<event> said;
    // Once: who begins to listen later hears of the next ones.
    const bool heard = app.events.heard();
    if (app.events.listened()) {
        for (const auto& one : all) said.push_back(submission_event(one, there.tasks().now()));
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (all[i].body.biz_id || !all[i].after.empty()) words[i] = {all[i].body.handler, all[i].body.biz_id};
        children[i] = all[i].child;
        items.push_back(item_of(std::move(all[i]), there.tasks().now(), lives[i]));
    }
    auto got = co_await there.submissions().submit_group(std::move(items), submit_mode::each);
    submission_counts counts{app.events};
    out.refs.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto why = got.failures.empty() ? nullptr : got.failures[i];
        if (!why && is_unsettled(got.answers[i])) {
            auto item = heard ? got.items[i] : std::move(got.items[i]);
            why = co_await settle_one(there, item, got.answers[i],
                                      name_of(all[i].id, words[i].first, words[i].second));
        }
        if (!why) why = refusal(got.answers[i], all[i].id, words[i].first, words[i].second, all[i].conflict);
        if (why && out.errors.empty()) out.errors.resize(n);
        if (why) out.errors[i] = why;
        if (!why && children[i]) children[i]->keep();
        out.refs.push_back(ref_of(app, all[i].id, lives[i], got.answers[i], all[i].retention));
        if (!said.empty())
            tell(app, std::move(said[i]), out.refs.back().duplicate, why);
        else if (heard)
            counts.add(kind_of(out.refs.back().duplicate, why), got.items[i]);
    }
    co_return out;
}

// Why the quota keeps each of them; empty: it lets all of them through.
awaitable<std::vector<std::exception_ptr>> kept_by_quota(loop& there, const app_core& app,
                                                         std::vector<prepared_submission>& all) {
    const auto rules = app.overrides.quota_rules();
    std::vector<std::exception_ptr> why(all.size());
    if (!rules) co_return std::vector<std::exception_ptr>{};
    std::int64_t fitting = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        count_what_runs(*rules, all[i].body);
        why[i] = payload_refusal(app, *rules, all[i].body.handler, all[i].body.args.size());
        if (!why[i]) ++fitting;
    }
    if (fitting == 0) co_return why;
    const auto got = co_await there.quotas().take(fitting, false);
    if (fitting == std::ssize(all) && got.admitted == fitting) co_return std::vector<std::exception_ptr>{};
    auto left = got.admitted;
    for (auto& one : why) {
        if (!one && left-- <= 0) one = quota_refusal(app, *rules, got, 1, false);
    }
    co_return why;
}

// Those that the quota lets through are submitted, and all are answered.
awaitable<bulk_result> send_bulk_within_quota(loop& there, app_core& app,
                                              std::vector<prepared_submission> all) {
    auto why = co_await kept_by_quota(there, app, all);
    if (why.empty()) co_return co_await send_bulk(there, app, std::move(all));
    std::vector<prepared_submission> some;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (why[i]) {
            if (app.events.heard()) tell(app, submission_event(all[i], there.tasks().now()), false, why[i]);
        } else {
            places.push_back(i);
            some.push_back(std::move(all[i]));
        }
    }
    bulk_result out;
    out.refs.resize(all.size());
    out.errors = std::move(why);
    if (some.empty()) co_return out;
    auto got = co_await send_bulk(there, app, std::move(some));
    for (std::size_t n = 0; n < places.size(); ++n) {
        out.refs[places[n]] = std::move(got.refs[n]);
        if (!got.errors.empty()) out.errors[places[n]] = got.errors[n];
    }
    co_return out;
}

[[noreturn]] void throw_bulk_error(bulk_result got) {
    std::vector<std::optional<task_ref>> accepted(got.refs.size());
    std::size_t refused = 0;
    std::string first;
    for (std::size_t i = 0; i < got.refs.size(); ++i) {
        if (!got.errors[i]) {
            accepted[i] = std::move(got.refs[i]);
        } else if (refused++ == 0) {
            first = "item " + std::to_string(i) + ": " + words_of(got.errors[i]);
        }
    }
    throw bulk_error{std::to_string(refused) + " of " + std::to_string(accepted.size()) +
                         " submissions were refused; the first is " + first,
                     std::move(accepted), std::move(got.errors)};
}

}  // namespace

awaitable<task_ref> submit(draft one) {
    auto executor = co_await asio::this_coro::executor;
    choose_core(one, executor);
    auto held = transaction_of(one, ambient_of(executor));
    const auto stage = stage_of(one, ambient_of(executor));
    if (!one.app->submit_wrappers.empty()) one = co_await wrapped(std::move(one));
    auto& app = *one.app;
    auto ready = prepare(std::move(one));
    make_child_of(stage.get(), ready);
    const auto seen = trace_submission(app, ambient_of(executor), {&ready, 1});
    if (held) co_return held->hold(std::move(ready));
    loop& there = caller_loop(executor, app);
    if (there.here()) {
        co_await there.ready();
        co_return co_await send(there, app, std::move(ready));
    }
    co_return co_await on_loop(there, [&](loop& l) { return send(l, app, std::move(ready)); });
}

awaitable<task_ref> submit_prepared(app_core& app, prepared_submission one) {
    auto executor = co_await asio::this_coro::executor;
    co_return co_await on_loop(caller_loop(executor, app),
                               [&](loop& l) { return send(l, app, std::move(one)); });
}

awaitable<std::vector<task_ref>> submit_bulk(std::vector<draft> all) {
    if (all.empty()) co_return std::vector<task_ref>{};
    auto executor = co_await asio::this_coro::executor;
    for (auto& one : all) choose_core(one, executor);
    auto& app = *all.front().app;
    auto held = transaction_of(all.front(), ambient_of(executor));
    const auto stage = stage_of(all.front(), ambient_of(executor));
    std::vector<prepared_submission> ready;
    ready.reserve(all.size());
    for (auto& one : all) {
        if (!app.submit_wrappers.empty()) one = co_await wrapped(std::move(one));
        auto& next = ready.emplace_back();
        try {
            prepare(next, std::move(one));
            make_child_of(stage.get(), next);
        } catch (const bad_data& e) {
            throw bad_data{"item " + std::to_string(ready.size() - 1) + ": " + e.what()};
        }
    }
    const auto seen = trace_submission(app, ambient_of(executor), ready);
    if (held) {
        std::vector<task_ref> refs;
        for (auto& one : ready) refs.push_back(held->hold(std::move(one)));
        co_return refs;
    }
    auto got = co_await on_loop(caller_loop(executor, app), [&](loop& l) {
        return app.overrides.any_quota() ? send_bulk_within_quota(l, app, std::move(ready))
                                         : send_bulk(l, app, std::move(ready));
    });
    if (!got.errors.empty()) throw_bulk_error(std::move(got));
    co_return std::move(got.refs);
}

std::string id_text(const task_ref& ref) { return to_text(task_id{ref.id}); }

bool is_duplicate(const task_ref& ref) noexcept {
    if (!ref.held) return ref.duplicate;
    const auto now = ref.held->now.load(std::memory_order_acquire);
    return (now == held_task::fate::submitted || now == held_task::fate::committed) && ref.held->duplicate;
}

}  // namespace errand::detail
