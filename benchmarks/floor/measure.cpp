#include "measure.hpp"

#include "redis.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/resource.h>

namespace benchmark_floor {
namespace {

double cpu_of(int who) {
    rusage used{};
    getrusage(who, &used);
    const auto in_seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

// Of all its threads. 0 for a Redis on another machine, which has no BENCH_REDIS_PID.
double cpu_of_redis() {
    if (std::getenv("BENCH_REDIS_PID") == nullptr) return 0;
    const auto pid = std::to_string(environment_number("BENCH_REDIS_PID"));
    std::int64_t sum = 0;
    for (const auto& thread : std::filesystem::directory_iterator{"/proc/" + pid + "/task"}) {
        std::int64_t nanoseconds = 0;
        if (std::ifstream{thread.path() / "schedstat"} >> nanoseconds) sum += nanoseconds;
    }
    if (sum == 0) throw failure{"the kernel tells nothing of the CPU that process " + pid + " used"};
    return static_cast<double>(sum) / 1e9;
}

}  // namespace

options::options(int count, char** words) {
    for (int i = 0; i < count; ++i) {
        const std::string_view word = words[i];
        const auto sign = word.find('=');
        std::int64_t value = 0;
        const char* end = word.data() + word.size();
        if (sign == word.npos || std::from_chars(word.data() + sign + 1, end, value).ptr != end || value <= 0)
            throw failure{"not name=NUMBER: " + std::string{word}};
        values_.insert_or_assign(std::string{word.substr(0, sign)}, value);
    }
}

std::int64_t options::number(const std::string& name, std::int64_t otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
}

std::int64_t clock_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

stopwatch::readings stopwatch::now() {
    return {static_cast<double>(clock_ns()) / 1e9, cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN),
            cpu_of_redis()};
}

void stopwatch::print(std::int64_t tasks) const {
    std::printf(R"({"tasks": %lld, "seconds": %.6f, "client_cpu": %.6f, "redis_cpu": %.6f})"
                "\n",
                static_cast<long long>(tasks), end_.seconds - begin_.seconds,
                end_.client_cpu - begin_.client_cpu, end_.redis_cpu - begin_.redis_cpu);
}

void print_latencies(std::vector<std::int64_t> nanoseconds) {
    std::sort(nanoseconds.begin(), nanoseconds.end());
    const auto percentile = [&](std::size_t hundredths) {
        return static_cast<double>(nanoseconds[(nanoseconds.size() - 1) * hundredths / 100]) / 1e6;
    };
    std::printf(R"({"tasks": %zu, "p50_ms": %.4f, "p99_ms": %.4f})"
                "\n",
                nanoseconds.size(), percentile(50), percentile(99));
}

}  // namespace benchmark_floor
