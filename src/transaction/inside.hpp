// Tasks of a store that is kept in the database of the transaction itself: they are submitted by that transaction, and
// there is nothing to deliver.
#pragma once

#include "client/open_transaction.hpp"

namespace errand::detail {

// Submits all of them as part of the transaction that is open there; the handles know then which were duplicates. Throws
// what a submission throws, and the transaction is to be rolled back; serialization_failure when another submission of one
// of the ids is not complete, which only goes on once this transaction has ended.
awaitable<void> submit_inside(store& in, const held_list& list);
// Its commit has happened.
void submitted_inside(app_core& app, const held_list& list);

}  // namespace errand::detail
