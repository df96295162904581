#include "measure.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace load {

namespace {

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) fail(std::string{name} + " is not set: run this through scripts/bench");
    return value;
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_of(int who) {
    rusage used{};
    getrusage(who, &used);
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

// In nanoseconds, finer than the ticks of /proc/PID/stat. 0 for a Redis on another machine, which has no
// BENCH_REDIS_PID.
double cpu_of_redis() {
    const char* pid = std::getenv("BENCH_REDIS_PID");
    if (pid == nullptr) return 0;
    double total = 0;
    const auto tasks = std::filesystem::path{"/proc"} / pid / "task";
    for (const auto& thread : std::filesystem::directory_iterator{tasks}) {
        std::ifstream file{thread.path() / "schedstat"};
        double ns = 0;
        if (file >> ns) total += ns / 1e9;
    }
    return total;
}

errand::config settings_for(std::string store) {
    errand::config settings;
    settings.store = std::move(store);
    settings.log_level = "warn";
    return settings;
}

}  // namespace

arguments::arguments(int count, char** words) {
    for (int at = 2; at < count; ++at) {
        const std::string word = words[at];
        const auto equals = word.find('=');
        if (equals == word.npos) fail("not of the form name=value: " + word);
        values_[word.substr(0, equals)] = std::stoul(word.substr(equals + 1));
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

errand::config over_socket() {
    if (const char* store = std::getenv("BENCH_STORE")) return settings_for(store);
    return settings_for("redis+unix://" + from_environment("BENCH_SOCKET"));
}

errand::config over_tcp() {
    if (const char* store = std::getenv("BENCH_STORE")) return settings_for(store);
    return settings_for("redis://127.0.0.1:" + from_environment("BENCH_PORT"));
}

std::string queue_name(std::size_t at, std::size_t queues) {
    return queues == 1 ? "default" : "q" + std::to_string(at);
}

errand::config serving(std::size_t queues, errand::config settings) {
    for (std::size_t at = 0; queues > 1 && at < queues; ++at) settings.queues[queue_name(at, queues)] = 1;
    return settings;
}

worker_process::worker_process(const errand::config& settings) : pid_{fork()} {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int status = 1;
    {
        errand::app app{settings};
        status = app.run();
    }
    std::_Exit(status);
}

worker_process::~worker_process() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

void worker_process::stop() {
    kill(pid_, SIGTERM);
    int status = 0;
    const auto ended = waitpid(std::exchange(pid_, 0), &status, 0);
    if (ended < 0 || status != 0) fail("a worker process did not end well");
}

void fail(const std::string& why) { throw std::runtime_error{why}; }

}  // namespace load
