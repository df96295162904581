#include "common/measure.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/resource.h>
#include <time.h>

namespace bench {

namespace {

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_of(int who) {
    rusage used{};
    getrusage(who, &used);
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

// 0 for a Redis on another machine, which has no BENCH_REDIS_PID.
double cpu_of_redis() {
    const char* pid = std::getenv("BENCH_REDIS_PID");
    return pid == nullptr ? 0 : cpu_of_process(pid);
}

}  // namespace

void fail(const std::string& why) { throw std::runtime_error{why}; }

arguments::arguments(int count, char** words) {
    for (int at = 2; at < count; ++at) {
        const std::string word = words[at];
        const auto equals = word.find('=');
        std::size_t value = 0;
        const char* end = word.data() + word.size();
        if (equals == word.npos || std::from_chars(word.data() + equals + 1, end, value).ptr != end)
            fail("not of the form name=NUMBER: " + word);
        values_[word.substr(0, equals)] = value;
    }
}

std::size_t arguments::number(const std::string& name, std::size_t otherwise) const {
    const auto at = values_.find(name);
    return at == values_.end() ? otherwise : at->second;
}

std::int64_t now_ns() {
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}

// In nanoseconds, finer than the ticks of /proc/PID/stat.
double cpu_of_process(const std::string& pid) {
    double total = 0;
    const auto tasks = std::filesystem::path{"/proc"} / pid / "task";
    for (const auto& thread : std::filesystem::directory_iterator{tasks}) {
        std::ifstream file{thread.path() / "schedstat"};
        double ns = 0;
        if (file >> ns) total += ns / 1e9;
    }
    if (total == 0) fail("the kernel tells nothing of the CPU that process " + pid + " used");
    return total;
}

reading reading::now() {
    return {static_cast<double>(now_ns()) / 1e9, cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN),
            cpu_of_redis()};
}

result& result::set(std::string_view name, double value) {
    values_.emplace_back(name, value);
    return *this;
}

result& result::set(std::size_t tasks, const reading& from, const reading& to) {
    return set("tasks", static_cast<double>(tasks))
        .set("seconds", to.seconds - from.seconds)
        .set("client_cpu", to.client_cpu - from.client_cpu)
        .set("redis_cpu", to.redis_cpu - from.redis_cpu);
}

result& result::set_latencies(std::vector<std::int64_t> delays) {
    std::ranges::sort(delays);
    const auto ms = [&](std::size_t per_mille) {
        return static_cast<double>(delays[std::min(delays.size() - 1, delays.size() * per_mille / 1000)]) /
               1e6;
    };
    return set("tasks", static_cast<double>(delays.size())).set("p50_ms", ms(500)).set("p99_ms", ms(990));
}

void result::print() const {
    std::string line;
    for (const auto& [name, value] : values_) {
        char text[64];
        std::snprintf(text, sizeof text, "%.9g", value);
        line += (line.empty() ? "{\"" : ", \"") + name + "\": " + text;
    }
    std::printf("%s}\n", line.c_str());
}

int run_named(std::span<const measure> measures, std::string_view program, int count, char** words) try {
    const std::string_view asked = count > 1 ? words[1] : "";
    for (const auto& one : measures) {
        if (one.name != asked) continue;
        one.run(arguments{count, words}).print();
        return 0;
    }
    fail("no such measure; see benchmarks/README.md");
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", std::string{program}.c_str(), e.what());
    return 1;
}

}  // namespace bench
