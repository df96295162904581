// What a handle does after the submission: wait for the result, look, cancel.
#include "client/handle.hpp"

#include <errand/error.hpp>

#include "client/edit_task.hpp"
#include "client/group_results.hpp"
#include "client/open_transaction.hpp"
#include "client/without_slot.hpp"
#include "core/policy_rules.hpp"
#include "core/sealed_records.hpp"
#include "runtime/at_most.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"
#include "runtime/stored_info.hpp"
#include "runtime/task_gates.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>

namespace errand::detail {

namespace asio = boost::asio;

incarnation life_of(const task_ref& ref, const char* wish) {
    if (!ref.held) return ref.life;
    switch (ref.held->now.load(std::memory_order_acquire)) {
    case held_task::fate::held:
        throw usage_error{
            std::string{"cannot "} + wish + " task " + id_text(ref) + " of " + ref.held->handler +
            ": its transaction has not committed, so it is not submitted yet; do it after the commit"};
    case held_task::fate::dropped:
        throw usage_error{std::string{"cannot "} + wish + " task " + id_text(ref) + " of " +
                          ref.held->handler + ": it was dropped with its transaction and never submitted"};
    case held_task::fate::refused: std::rethrow_exception(ref.held->refusal);
    case held_task::fate::committed:
    case held_task::fate::submitted: break;
    }
    return ref.held->life;
}

namespace {

[[noreturn]] void throw_gone(const task_ref& ref) {
    throw result_gone{"task " + id_text(ref) +
                      " is no longer kept: its retention is over, it was deleted, or a later task with the "
                      "same biz_id took its place"};
}

// True when the task may have ended and been trimmed by now, rather than been lost.
bool may_be_trimmed(const task_ref& ref, incarnation life, time_point now) {
    const time_point submitted{duration{static_cast<std::int64_t>(life >> 16U)}};
    return life != 0 && now - submitted >= ref.retention;
}

awaitable<ended_task> wait_on(loop& there, running_task* task, task_ref ref, incarnation life) {
    const task_id id{ref.id};
    try {
        if (task) co_return co_await without_slot(*task, there.results().wait(id, life));
        co_return co_await there.results().wait(id, life);
    } catch (const unknown_task&) {
        throw_missing(ref, life, there.tasks().now(), std::current_exception());
    }
}

// A wait of no length: what is there now.
awaitable<std::optional<ended_task>> look_on(loop& there, task_ref ref, incarnation life) {
    try {
        co_return co_await there.results().look(task_id{ref.id}, life);
    } catch (const unknown_task&) {
        throw_missing(ref, life, there.tasks().now(), std::current_exception());
    }
}

// Always throws: it has ended and is no longer kept, or the store has lost it.
awaitable<void> throw_absent(task_ref ref, incarnation life) {
    auto executor = co_await asio::this_coro::executor;
    co_await on_loop(caller_loop(executor, *ref.app), [=](loop& there) { return look_on(there, ref, life); });
    throw_gone(ref);
}

awaitable<std::optional<ended_task>> look_for_end(const task_ref& ref) {
    if (!has_arrived(ref)) co_return std::nullopt;
    const auto life = life_of(ref, "await the result of");
    auto executor = co_await asio::this_coro::executor;
    co_return co_await on_loop(caller_loop(executor, *ref.app),
                               [=](loop& there) { return look_on(there, ref, life); });
}

awaitable<ended_task> wait_for_end(const task_ref& ref) {
    co_await arrived(ref);
    const auto life = life_of(ref, "await the result of");
    auto executor = co_await asio::this_coro::executor;
    const ambient* around = ambient_of(executor);
    check_may_wait(around, *ref.app);
    running_task* task = around && around->app == ref.app ? around->task : nullptr;
    co_return co_await on_loop(caller_loop(executor, *ref.app),
                               [=](loop& there) { return wait_on(there, task, ref, life); });
}

[[noreturn]] void throw_timed_out(const task_ref& ref, duration within) {
    throw timed_out{"the result of task " + id_text(ref) + " did not come within " +
                    std::to_string(std::max(within, duration{0}).count()) + " ms; the task goes on"};
}

awaitable<ended_task> wait_at_most(const task_ref& ref, duration within) {
    if (within <= duration{0}) {
        auto end = co_await look_for_end(ref);
        if (!end) throw_timed_out(ref, within);
        co_return std::move(*end);
    }
    auto executor = co_await asio::this_coro::executor;
    within = std::min(within, duration{std::chrono::days{36'525}});  // what timers can hold
    std::exception_ptr aborted;
    try {
        co_return co_await at_most(executor, wait_for_end(ref), within);
    } catch (const boost::system::system_error& e) {
        if (e.code() != asio::error::operation_aborted) throw;
        aborted = std::current_exception();
    }
    // The timer aborted the wait, unless the caller itself is being cancelled.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(aborted);
    throw_timed_out(ref, within);
}

std::string error_in(const task_outcome& outcome) {
    if (!outcome.notes || outcome.notes->errors.empty()) return {};
    auto notes = *outcome.notes;
    name_what_is_sealed(notes);
    return std::move(notes.errors.back().message);
}

// A coroutine, so that the id lives as long as the call that refers to it.
awaitable<std::optional<found_task>> find_on(loop& there, task_id id) {
    co_return co_await there.tasks().find(id);
}

// Nullopt without a round trip when the text is no id. It outlives the call.
awaitable<std::optional<found_task>> find_by(app_core& app, const std::string& text) {
    const auto id = parse_task_id(text);
    if (!id) co_return std::nullopt;
    auto executor = co_await asio::this_coro::executor;
    co_return co_await on_loop(caller_loop(executor, app),
                               [on = *id](loop& there) { return find_on(there, on); });
}

duration retention_of(const std::string& encoded) {
    const auto body = decode_body(encoded);
    if (body.retention) return *body.retention;
    const auto* handler = handlers::find(body.handler);
    return handler ? handler->policy.retention : policy{}.retention;
}

}  // namespace

[[noreturn]] void throw_missing(const task_ref& ref, incarnation life, time_point now,
                                const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const unknown_task&) {
        if (may_be_trimmed(ref, life, now)) throw_gone(ref);
        throw;
    }
}

std::string result_in(const task_ref& ref, std::string_view encoded, std::string handler) {
    auto outcome = decode_outcome(encoded);
    if (outcome.ended_as != state::success)
        throw task_failed{outcome.ended_as, outcome.attempts, error_in(outcome), id_text(ref),
                          std::move(handler)};
    if (is_remnant(outcome)) throw_gone(ref);
    if (read_sealed(outcome.result))
        need_open(ref.app->seals(), outcome.result, "the result of task " + id_text(ref) + " is");
    return std::move(outcome.result);
}

awaitable<std::string> whole(const task_ref& ref, std::string result) {
    if (result != group_result_mark) co_return result;
    auto executor = co_await asio::this_coro::executor;
    const task_id id{ref.id};
    co_return co_await on_loop(caller_loop(executor, *ref.app),
                               [&](loop& there) { return whole_result(there, id, std::move(result)); });
}

namespace {

awaitable<std::string> handler_on(loop& there, task_id id) {
    const auto found = co_await there.tasks().find(id);
    co_return found ? decode_body(found->body).handler : std::string{};
}

}  // namespace

awaitable<void> throw_named(app_core& app, task_failed why) {
    std::string handler;
    try {
        auto executor = co_await asio::this_coro::executor;
        const auto id = required_task_id(why.id());
        handler =
            co_await on_loop(caller_loop(executor, app), [id](loop& there) { return handler_on(there, id); });
    } catch (const std::exception&) {
        // How it ended is what counts.
    }
    throw task_failed{why.state(), why.attempts(), why.text(), why.id(), std::move(handler)};
}

awaitable<std::string> wait_for_result(task_ref ref, std::optional<duration> within) {
    const auto end = within ? co_await wait_at_most(ref, *within) : co_await wait_for_end(ref);
    std::string result;
    std::optional<task_failed> failed;
    try {
        result = result_in(ref, end.outcome);
    } catch (const task_failed& why) {
        failed = why;
    }
    if (failed) co_await throw_named(*ref.app, std::move(*failed));
    if (result != group_result_mark) co_return result;
    co_return co_await whole(ref, std::move(result));
}

awaitable<std::optional<task_info>> find_info(app_core& app, std::string id) {
    const auto executor = co_await asio::this_coro::executor;
    auto found = co_await find_by(core_for(executor, app), id);
    if (!found) co_return std::nullopt;
    co_return info_of(*found);
}

awaitable<std::optional<task_ref>> find_task(app_core& app, std::string id) {
    const auto executor = co_await asio::this_coro::executor;
    auto& core = core_for(executor, app);
    auto found = co_await find_by(core, id);
    if (!found || !info_of(*found)) co_return std::nullopt;
    co_return task_ref{.app = &core,
                       .id = found->id.bytes,
                       .life = incarnation_of(found->body),
                       .duplicate = false,
                       .held = nullptr,
                       .retention = retention_of(found->body)};
}

awaitable<task_info> fetch_info(task_ref ref) {
    co_await arrived(ref);
    const auto life = life_of(ref, "look at");
    auto executor = co_await asio::this_coro::executor;
    const task_id id{ref.id};
    auto found =
        co_await on_loop(caller_loop(executor, *ref.app), [id](loop& there) { return find_on(there, id); });
    if (!found || (life != 0 && incarnation_of(found->body) != life)) co_await throw_absent(ref, life);
    auto info = info_of(*found);
    if (!info) throw_gone(ref);
    co_return std::move(*info);
}

awaitable<bool> revive_task(task_ref ref) {
    co_await arrived(ref);
    const auto life = life_of(ref, "revive");
    auto executor = co_await asio::this_coro::executor;
    const auto got = co_await on_loop(caller_loop(executor, *ref.app), [=](loop& there) {
        return revive_with_dependents_on(there.tasks(), task_id{ref.id}, life);
    });
    if (!got) co_await throw_absent(ref, life);
    co_return *got;
}

awaitable<bool> reschedule_task(task_ref ref, time_point due_at) {
    co_await arrived(ref);
    const auto life = life_of(ref, "reschedule");
    auto executor = co_await asio::this_coro::executor;
    const auto got = co_await on_loop(caller_loop(executor, *ref.app), [=](loop& there) {
        return reschedule_on(there.tasks(), task_id{ref.id}, life, due_at);
    });
    if (!got) co_await throw_absent(ref, life);
    co_return *got;
}

awaitable<std::string> stored_result(app_core& app, std::string id) {
    const auto on = required_task_id(id);
    auto executor = co_await asio::this_coro::executor;
    auto found =
        co_await on_loop(caller_loop(executor, app), [on](loop& there) { return find_on(there, on); });
    const task_ref ref{.app = &app, .id = on.bytes};
    if (!found) throw_gone(ref);
    if (!found->finished_at) {
        throw usage_error{"task " + id +
                          " has not ended, so it has no result yet: name it in .after, or await its "
                          "handle"};
    }
    co_return co_await whole(ref, result_in(ref, found->outcome, decode_body(found->body).handler));
}

bool was_accepted(const task_ref& ref) {
    if (!ref.held) return true;
    const auto now = ref.held->now.load(std::memory_order_acquire);
    if (now == held_task::fate::dropped || now == held_task::fate::refused) life_of(ref, "wait for");
    return false;
}

std::string id_of(const app_core& app, std::type_index handler, std::string_view biz_id) {
    const auto& known = handlers::of_type(handler);
    check_biz_id(known.name, biz_id);
    return to_text(placed_id(known, derive_task_id(known.identity, biz_id), app.settings.shards));
}

awaitable<bool> cancel_task(task_ref ref) {
    co_await arrived(ref);
    const auto life = life_of(ref, "cancel");
    auto executor = co_await asio::this_coro::executor;
    const task_id id{ref.id};
    const auto got = co_await on_loop(caller_loop(executor, *ref.app), [=](loop& there) {
        return cancel_on(there.tasks(), id, life, ref.retention);
    });
    if (!got.known) co_await throw_absent(ref, life);
    co_return got.cancelled;
}

}  // namespace errand::detail
