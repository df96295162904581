// What commit/ measures; each does its work, checks it, and returns what it measured.
#pragma once

#include "common/measure.hpp"

namespace commit {

// Transactions of one INSERT: callers=N at once, tasks=N in all, as many connections as callers.
bench::result alone(const bench::arguments& how);      // by the driver and the pool alone
bench::result bare(const bench::arguments& how);       // errand::transaction, without a task
bench::result with_task(const bench::arguments& how);  // with a task each
// From the return of a transaction to the start of its task in another process, one at a time; named=1: with a biz_id.
// Also the transaction itself.
bench::result latency(const bench::arguments& how);

}  // namespace commit
