// What every way of submitting has in common, before and after the store. On the executor of the submitter.
#pragma once

#include "client/open_transaction.hpp"
#include "client/prepared_submission.hpp"
#include "runtime/ambient.hpp"

#include <memory>

namespace errand::detail {

// Whose it is, before anything else is asked of it: under a task of one of the namespaces that the app's worker serves it is
// of that one. Throws usage_error when what holds it back holds tasks of another.
void choose_core(draft& one, const boost::asio::any_io_executor& executor);

// The draft as the wrappers given to around_submit leave it.
awaitable<draft> wrapped(draft one);

// The transaction that holds this submission back; null: none.
std::shared_ptr<open_transaction> transaction_of(const draft& one, const ambient* around);

// The stage that the caller runs in, when it is of one of this app's tasks; null: none.
std::shared_ptr<stage_run> stage_of(const draft& one, const ambient* around);

// Submits at once what has its id and its rules: no wrapper, transaction or stage has a say.
awaitable<task_ref> submit_prepared(app_core& app, prepared_submission one);

task_ref ref_of(app_core& app, const task_id& id, incarnation stamped, const submit_answer& answer,
                duration retention);

}  // namespace errand::detail
