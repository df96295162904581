#include "transaction/joined.hpp"

#include <errand/error.hpp>
#include <errand/transaction.hpp>

#include "runtime/app_core.hpp"
#include "store/inside.hpp"
#include "transaction/inside.hpp"

namespace errand::detail {

joined_state::joined_state(std::shared_ptr<database_core> on, std::unique_ptr<sql::session> with)
    : on_{std::move(on)},
      with_{std::move(with)},
      held_{std::make_shared<open_transaction>(
          on_->app(), nullptr, nullptr, std::make_shared<std::atomic<bool>>(with_->tasks() != nullptr))} {}

joined_state::~joined_state() { held_->drop(); }

// Nothing of it is there when it throws.
awaitable<void> joined_state::write_inside(store& in, const held_list& list) {
    co_await with_->run("SAVEPOINT errand_submission", {});
    std::exception_ptr failure;
    try {
        co_await submit_inside(in, list);
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
        if (auto* inside = with_->tasks()) {
            if (!list.empty()) co_await undisturbed(write_inside(*inside, list));
            submitted_ = std::move(list);
            co_return;
        }
        auto batch = co_await prepared_batch(on_, list);
        for (auto& one : rows_of(batch)) co_await with_->run(std::move(one.text), std::move(one.values));
        written_ = std::move(batch);
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
    if (submitted_) {
        if (!submitted_->empty()) submitted_inside(on_->app(), *submitted_);
        with_->tasks()->committed();
        submitted_.reset();
        return;
    }
    if (!written_)
        throw usage_error{"joined_transaction: deliver() comes after write() and your COMMIT, and once"};
    send(std::move(*written_));
    written_.reset();
}

void joined_state::roll_back() noexcept {
    held_->drop();
    if (submitted_) settle(*submitted_, held_task::fate::dropped, false);
    submitted_.reset();
    if (!written_) return;
    settle(written_->what.tasks, held_task::fate::dropped, false);
    written_.reset();
}

joined_transaction join(std::shared_ptr<database_core> on, std::unique_ptr<sql::session> with) {
    return joined_transaction{std::make_shared<joined_state>(std::move(on), std::move(with))};
}

awaitable<void> run_joined_transaction(joined_transaction& joined, std::function<awaitable<void>()> body) {
    const auto outer = joined.state()->held();
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
