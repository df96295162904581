// What every measure needs: its options, readings of time and CPU, a worker in a process of its own, one line of JSON.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace load {

// The words `name=value` behind the measure's name.
class arguments {
public:
    arguments(int count, char** words);
    std::size_t number(const std::string& name, std::size_t otherwise) const;

private:
    std::map<std::string, std::size_t> values_;
};

// The same in all processes of a machine.
std::int64_t now_ns();

// Time, and the CPU used by this process and the children it has waited for, and by Redis.
struct reading {
    double seconds = 0;
    double client_cpu = 0;
    double redis_cpu = 0;
    static reading now();
};

// The result: an object of numbers, printed as the last line.
class result {
public:
    result& set(std::string_view name, double value);
    // tasks, seconds, client_cpu and redis_cpu of what was done since `from`.
    result& set(std::size_t tasks, const reading& from, const reading& to);
    // p50_ms and p99_ms of delays in nanoseconds.
    result& set_latencies(std::vector<std::int64_t> delays);
    void print() const;

private:
    std::vector<std::pair<std::string, double>> values_;
};

// errand's settings for Redis at BENCH_SOCKET, or over TCP at BENCH_PORT; both for BENCH_STORE where that is set.
errand::config over_socket();
errand::config over_tcp();

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

[[noreturn]] void fail(const std::string& why);

// ---- the measures: each does its work, checks it, and returns what it measured --------------------------------------

result submit(const arguments& how);   // callers=N
result bulk(const arguments& how);     // size=N delayed=1 biz_id=1
result drain(const arguments& how);    // concurrency=N threads=N
result life(const arguments& how);     // workers=N queues=N results=1
result latency(const arguments& how);  // rate=N a second (0: one every 2 ms) workers=N queues=N
result idle(const arguments& how);     // seconds=N; the commands are counted by who calls
result promote(const arguments& how);

}  // namespace load
