// errand::transaction(db, body): the body in a transaction, or in a savepoint of the one around it.
#include <errand/error.hpp>
#include <errand/transaction.hpp>

#include "client/open_transaction.hpp"
#include "core/random.hpp"
#include "outbox/commit.hpp"
#include "outbox/same_database.hpp"
#include "outbox/sql_transaction.hpp"
#include "runtime/ambient.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace errand::detail {

namespace asio = boost::asio;

namespace {

using erased_body = std::function<awaitable<void>(database_transaction&)>;

awaitable<void> run_body(std::shared_ptr<open_transaction> held, erased_body& body) {
    database_transaction tx{held->level()};
    co_await run_under(held, [&]() -> awaitable<void> { return body(tx); });
}

// ---- a savepoint -------------------------------------------------------------------------------------

awaitable<void> close_inner(std::shared_ptr<transaction_level> level, bool keep) {
    auto& of = *level->of();
    co_await of.at_home([&] { return of.close_level(level->at(), keep); });
}

awaitable<void> run_inner(std::shared_ptr<open_transaction> outer, erased_body body) {
    const auto of = outer->level()->of();
    const auto within = outer->level()->at();
    const auto at = co_await of->at_home([&] { return of->open_level(within); });
    const auto level = std::make_shared<transaction_level>(of, at);
    auto held = std::make_shared<open_transaction>(outer->app(), outer, level);
    std::exception_ptr failure;
    try {
        co_await run_body(held, body);
        co_await undisturbed(close_inner(level, true));
    } catch (...) {
        failure = std::current_exception();
        held->drop();
    }
    if (!failure) co_return co_await held->commit();
    // Also of a caller that was cancelled.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    try {
        co_await undisturbed(close_inner(level, false));
    } catch (...) {
        // What the body threw says more; the transaction around it can only be rolled back.
    }
    co_await asio::this_coro::throw_if_cancelled(throws);
    std::rethrow_exception(failure);
}

// ---- the outermost -----------------------------------------------------------------------------------

awaitable<void> commit_entries(sql_transaction& work, const std::vector<outbox_entry>& entries) {
    co_await work.at_home([&] { return work.commit(rows_of(work.on(), entries)); });
}

awaitable<bool> keeps_tasks(sql_transaction& work) {
    co_return co_await work.at_home([&]() -> awaitable<bool> { co_return co_await work.tasks() != nullptr; });
}

awaitable<void> commit_inside(sql_transaction& work, held_list list) {
    co_await work.at_home([&] { return work.commit({}, list); });
    submitted_inside(work.on().app(), list);
}

// Nothing has happened when it throws, but for a store_error that says so.
awaitable<void> commit(sql_transaction& work, std::shared_ptr<database_core> on, held_list list) {
    if (!list.empty() && on->may_keep_tasks() && co_await keeps_tasks(work))
        co_return co_await undisturbed(commit_inside(work, std::move(list)));
    auto entries = co_await entries_for(on, list);
    co_await undisturbed(commit_entries(work, entries));
    send(on, list, std::move(entries));
}

awaitable<void> roll_back(sql_transaction& work) {
    co_await work.at_home([&] { return work.roll_back(); });
}

// What the handles are of when nobody knows whether the commit has happened: tasks that are looked for in the outbox first,
// and that the store may not know.
held_task::fate unknown_fate(const held_list& list) {
    const bool by_outbox = !list.empty() && list.front()->courier;
    return by_outbox ? held_task::fate::committed : held_task::fate::submitted;
}

// Once. Returns why the database gave it up, if it did.
awaitable<std::exception_ptr> run_once(std::shared_ptr<database_core> on, erased_body& body) {
    auto& place = on->place_of(co_await asio::this_coro::executor);
    const auto work = std::make_shared<sql_transaction>(on, place);
    const auto held =
        std::make_shared<open_transaction>(on->app(), nullptr, std::make_shared<transaction_level>(work, 0),
                                           work->locks_store());
    held_list list;
    std::exception_ptr failure;
    bool may_rerun = false;
    auto fate = held_task::fate::dropped;
    try {
        co_await run_body(held, body);
        list = held->end();
        co_await commit(*work, on, list);
    } catch (const serialization_failure&) {
        failure = std::current_exception();
        may_rerun = true;
    } catch (const unknown_outcome&) {
        failure = std::current_exception();
        fate = unknown_fate(list);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) {
        co_await word_of_store(on, list);
        co_return nullptr;
    }
    held->drop();
    settle(list, fate, false);
    // Also of a caller that was cancelled.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await undisturbed(roll_back(*work));
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (may_rerun) co_return failure;
    std::rethrow_exception(failure);
}

awaitable<void> pause_before_rerun(int reruns) {
    // Those that were in each other's way are not to meet again.
    const auto most = std::min(1 << std::min(reruns, 7), 100);
    asio::steady_timer timer{co_await asio::this_coro::executor,
                             std::chrono::microseconds{static_cast<int>(random_unit() * 1000 * most)}};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

bool is_inside(const ambient* around, const database_core& on) {
    return around && around->transaction && around->transaction->level() &&
           &around->transaction->level()->of()->on() == &on;
}

}  // namespace

awaitable<void> run_database_transaction(std::shared_ptr<database_core> on, int reruns, erased_body body) {
    if (reruns < 0 || reruns > 1000)
        throw usage_error{"retry_serialization: .times is 0 to 1000, not " + std::to_string(reruns)};
    const auto executor = co_await asio::this_coro::executor;
    const ambient* around = ambient_of(executor);
    on = on->for_caller(executor);
    if (is_inside(around, *on)) co_return co_await run_inner(around->transaction, std::move(body));
    for (int run = 0;; ++run) {
        const auto given_up = co_await run_once(on, body);
        if (!given_up) co_return;
        if (run == reruns) std::rethrow_exception(given_up);
        co_await pause_before_rerun(run);
    }
}

}  // namespace errand::detail
