#include "outbox/joined.hpp"

#include <errand/error.hpp>
#include <errand/transaction.hpp>

#include "outbox/same_database.hpp"
#include "outbox/sql_transaction.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"

#include <boost/asio/this_coro.hpp>

namespace errand::detail {

joined_state::joined_state(std::shared_ptr<database_core> on, std::unique_ptr<sql::session> with)
    : on_{std::move(on)},
      with_{std::move(with)},
      held_{std::make_shared<open_transaction>(
          on_->app(), nullptr, nullptr, std::make_shared<std::atomic<bool>>(tasks_in(*with_) != nullptr))} {}

joined_state::~joined_state() { held_->drop(); }

// Nothing of it is there when it throws.
awaitable<void> joined_state::write_inside(store& in, const held_list& list) {
    co_await with_->run("SAVEPOINT errand_submission", {});
    std::exception_ptr failure;
    try {
        co_await submit_inside(on_->app(), in, list);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) co_await with_->run("ROLLBACK TO errand_submission", {});
    co_await with_->run("RELEASE errand_submission", {});
    if (failure) std::rethrow_exception(failure);
}

awaitable<void> joined_state::write() {
    auto list = held_->end();
    try {
        if (auto* inside = tasks_in(*with_)) {
            if (!list.empty()) co_await undisturbed(write_inside(*inside, list));
        } else {
            entries_ = co_await entries_for(on_, list);
            for (auto& insert : rows_of(*on_, *entries_))
                co_await with_->run(std::move(insert.text), std::move(insert.values));
        }
        list_ = std::move(list);
        written_ = true;
    } catch (const serialization_failure&) {
        settle(list, held_task::fate::dropped, false);
        throw;
    } catch (const database_error& e) {
        settle(list, held_task::fate::dropped, false);
        throw_not_written(e, *on_);
    } catch (...) {
        settle(list, held_task::fate::dropped, false);
        throw;
    }
}

void joined_state::deliver() {
    if (!std::exchange(written_, false))
        throw usage_error{"joined_transaction: deliver() comes after write() and your COMMIT, and once"};
    const auto list = std::exchange(list_, {});
    if (entries_) {
        send(on_, list, std::move(*entries_));
        return;
    }
    if (!list.empty()) submitted_inside(on_->app(), list);
    tasks_in(*with_)->committed();
}

void joined_state::roll_back() noexcept {
    held_->drop();
    if (std::exchange(written_, false)) settle(std::exchange(list_, {}), held_task::fate::dropped, false);
}

joined_transaction join(std::shared_ptr<database_core> on, std::unique_ptr<sql::session> with) {
    return joined_transaction{std::make_shared<joined_state>(std::move(on), std::move(with))};
}

awaitable<void> run_joined_transaction(joined_transaction& joined, std::function<awaitable<void>()> body) {
    const auto outer = joined.state()->held();
    const auto executor = co_await boost::asio::this_coro::executor;
    outer->choose(core_for(executor, outer->app()));
    auto held = std::make_shared<open_transaction>(outer->app(), outer);
    co_await run_under(held, std::move(body));
    co_await held->commit();
}

std::shared_ptr<open_transaction> held_of(const joined_transaction& joined) { return joined.state()->held(); }

}  // namespace errand::detail

namespace errand {

joined_transaction::joined_transaction(std::shared_ptr<detail::joined_state> state) noexcept
    : state_{std::move(state)} {}

joined_transaction::~joined_transaction() = default;

awaitable<void> joined_transaction::write() { return state_->write(); }

awaitable<void> joined_transaction::deliver() {
    state_->deliver();
    co_return;
}

void joined_transaction::rollback() noexcept { state_->roll_back(); }

}  // namespace errand
