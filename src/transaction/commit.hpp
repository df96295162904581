// From what a transaction holds back to rows of its database, and on to the store.
#pragma once

#include "client/open_transaction.hpp"
#include "transaction/courier.hpp"
#include "transaction/work.hpp"

#include <vector>

namespace errand::detail {

// What a commit submits: made before it, sent after it.
struct outgoing_batch {
    std::shared_ptr<database_core> on;
    parcel what;

    bool empty() const noexcept { return what.tasks.empty(); }
};

// Throws what a submission can throw, and then none is made.
awaitable<outgoing_batch> prepared_batch(std::shared_ptr<database_core> on, held_list list);
// One statement, or as many as the database's limits demand.
std::vector<sql::statement> rows_of(const outgoing_batch& of);
// What has begun is brought to its end, whoever is cancelled meanwhile.
awaitable<void> undisturbed(awaitable<void> work);
// The commit has happened.
void send(outgoing_batch batch);
// Until the store has said which of them were duplicates: for a moment at most, and not while the store is away.
awaitable<void> duplicates_known(std::shared_ptr<database_core> on, held_list list);

}  // namespace errand::detail
