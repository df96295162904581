// The measures: each does its work on an empty Redis, checks that all of it was done, and prints what it took.
#pragma once

#include "measure.hpp"

namespace benchmark_floor {

// Over TCP, one task a call, each call waiting for the one before.
void round_trip(const options& how);
// The same over the unix socket.
void round_trip_socket(const options& how);
// batch=50 inflight=1: as 50 callers submit whose tasks go out together. batch=500 inflight=2: bulk.
void submit(const options& how);
// A full queue is emptied: each call finishes one batch and claims the next.
void drain(const options& how);
// Submitting and draining mixed in one stream of calls, so that the queue stays nearly empty.
void life(const options& how);
// One task every 2 ms to a process that waits for it; from before its submission until its id is there.
void latency(const options& how);

}  // namespace benchmark_floor
