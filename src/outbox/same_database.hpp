// Tasks of a store that is kept in the database of the transaction itself: they are submitted by that transaction, and
// there is nothing to deliver.
#pragma once

#include "client/open_transaction.hpp"
#include "sql/driver.hpp"
#include "store/inside.hpp"

#include <memory>
#include <utility>

namespace errand::detail {

// What a connection to the database that the app keeps its tasks in has with it.
class attached_store final : public sql::attachment {
public:
    explicit attached_store(std::unique_ptr<store_inside> tasks) : tasks_{std::move(tasks)} {}
    store_inside& tasks() noexcept { return *tasks_; }

private:
    std::unique_ptr<store_inside> tasks_;
};

// The app's store, when it is kept in the database of this connection: its calls become part of the transaction that is
// open there. Null: it is kept elsewhere.
inline store_inside* tasks_in(sql::session& connection) noexcept {
    auto* attached = static_cast<attached_store*>(connection.attachment());
    return attached ? &attached->tasks() : nullptr;
}

// Submits and declares all of them as part of the transaction that is open there; the handles know then which were
// duplicates. Throws what a submission throws, and the transaction is to be rolled back; serialization_failure when another
// submission of one of the ids is not complete, which only goes on once this transaction has ended.
awaitable<void> submit_inside(app_core& app, store& in, const held_list& list);
// Its commit has happened.
void submitted_inside(app_core& app, const held_list& list);

}  // namespace errand::detail
