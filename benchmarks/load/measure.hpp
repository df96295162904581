// What errand's measures need beside common/measure.hpp: its settings, a worker in a process of its own.
#pragma once

#include <errand/errand.hpp>

#include "common/measure.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace load {

using bench::arguments;
using bench::fail;
using bench::now_ns;
using bench::reading;
using bench::result;

// Where the size of a bulk is not what is measured.
constexpr std::size_t in_a_bulk = 1000;

// errand's settings for Redis at BENCH_SOCKET, or over TCP at BENCH_PORT; both for BENCH_STORE where that is set.
errand::config over_socket();
errand::config over_tcp();

// What is in memory is this process's alone: its worker runs here.
bool is_shared(const errand::config& settings);

// One queue is the usual one; more are q0, q1 and so on, which `serving` makes a worker's.
std::string queue_name(std::size_t at, std::size_t queues);
errand::config serving(std::size_t queues, errand::config settings);

// A process that works until it is told to stop. Made before this process has threads or connections.
class worker_process {
public:
    explicit worker_process(const errand::config& settings);
    worker_process(worker_process&& other) noexcept : pid_{std::exchange(other.pid_, 0)} {}
    ~worker_process();
    // SIGTERM; throws when it does not end well.
    void stop();

private:
    int pid_ = 0;
};

// ---- the measures: each does its work, checks it, and returns what it measured --------------------------------------

result submit(const arguments& how);  // callers=N; a single one over TCP
result submit_socket(const arguments& how);
result bulk(const arguments& how);     // size=N delayed=1 biz_id=1
result drain(const arguments& how);    // concurrency=N threads=N
result life(const arguments& how);     // workers=N queues=N results=1 encrypted=1 apart=0
result latency(const arguments& how);  // rate=N a second (0: one every 2 ms) workers=N queues=N apart=0
result idle(const arguments& how);     // seconds=N; the commands are counted by who calls
result promote(const arguments& how);
result limited_life(const arguments& how);  // keys=N (0: one group) concurrency=N
result throng(const arguments& how);        // what `idle` is to be beside
result fire(const arguments& how);
result collect(const arguments& how);  // concurrency=N
result rate(const arguments& how);     // workers=N; 20 starts a second, so 10,000 take 500 s
result depend(const arguments& how);   // one for many, with in=1 many for one, with chain=1 one by one
result stages(const arguments& how);   // each task has ten empty ones

}  // namespace load
