// What every measuring program keeps to (see ../README.md): its options, readings of time and CPU, one line of JSON.
// Without errand, so that the floor is measured by the same means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

[[noreturn]] void fail(const std::string& why);

// The words `name=NUMBER` behind the measure's name.
class arguments {
public:
    arguments(int count, char** words);
    std::size_t number(const std::string& name, std::size_t otherwise) const;

private:
    std::map<std::string, std::size_t> values_;
};

// The same in all processes of a machine.
std::int64_t now_ns();

// What the threads of another process have used by now, in seconds.
double cpu_of_process(const std::string& pid);

// Time, and the CPU used by this process and the children it has waited for, and by Redis (0 without BENCH_REDIS_PID,
// where it is on another machine).
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

struct measure {
    std::string_view name;
    result (*run)(const arguments&);
};

// What a measuring program's main does: runs the measure that the first word names, prints its result, and returns the exit code.
int run_named(std::span<const measure> measures, std::string_view program, int count, char** words);

}  // namespace bench
