// What commit/ measures; each does its work, checks it, and returns what it measured.
#pragma once

#include "common/measure.hpp"

namespace commit {

// Transactions: callers=N at once, tasks=N in all, connections enough for all; of one INSERT, or those of TPC-B (tpcb=1).
bench::result alone(const bench::arguments& how);      // by the driver and the pool alone
bench::result one_more(const bench::arguments& how);   // the same with one INSERT more
bench::result bare(const bench::arguments& how);       // errand::transaction, without a task
bench::result with_task(const bench::arguments& how);  // with a task each
// From the return of a transaction to the start of its task in another process, one at a time; named=1: with a biz_id.
// Also the transaction itself.
bench::result latency(const bench::arguments& how);

}  // namespace commit
