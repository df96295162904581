// From what a transaction holds back to entries of its database's outbox, and on to the store.
#pragma once

#include "outbox/courier.hpp"
#include "outbox/database_core.hpp"

#include <memory>
#include <vector>

namespace errand::detail {

// What a commit submits: made before it, sent after it. Throws what a submission can throw, and then none is made.
awaitable<std::vector<outbox_entry>> entries_for(std::shared_ptr<database_core> on, held_list list);
// One statement, or as many as the database's limits demand.
std::vector<sql::statement> rows_of(const database_core& on, const std::vector<outbox_entry>& entries);
// The commit of this list has happened.
void send(const std::shared_ptr<database_core>& on, const held_list& list, std::vector<outbox_entry> entries);
// Until the store has said which of them were duplicates, and knows their schedules: for a moment at most, and not while the
// store is away.
awaitable<void> word_of_store(std::shared_ptr<database_core> on, held_list list);

// What has begun is brought to its end, whoever is cancelled meanwhile.
awaitable<void> undisturbed(awaitable<void> work);

}  // namespace errand::detail
