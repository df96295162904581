// What every measure needs: the options of the call, a stopwatch for time and CPU, and the one line of output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace benchmark_floor {

// name=value, each a positive number.
class options {
public:
    options(int count, char** words);
    std::int64_t number(const std::string& name, std::int64_t otherwise) const;

private:
    std::map<std::string, std::int64_t> values_;
};

// Nanoseconds of a clock that all processes of the machine share.
std::int64_t clock_ns();

// Counts from its making until stop().
class stopwatch {
public:
    stopwatch() : begin_{now()} {}
    void stop() { end_ = now(); }
    // Prints tasks, seconds, client_cpu and redis_cpu.
    void print(std::int64_t tasks) const;

private:
    struct readings {
        double seconds = 0;
        double client_cpu = 0;
        double redis_cpu = 0;
    };
    static readings now();

    readings begin_;
    readings end_;
};

// Prints tasks, p50_ms and p99_ms.
void print_latencies(std::vector<std::int64_t> nanoseconds);

}  // namespace benchmark_floor
