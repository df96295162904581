#include "measure.hpp"

#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace load {

namespace {

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) fail(std::string{name} + " is not set: run this through scripts/bench");
    return value;
}

errand::config settings_for(std::string store) {
    errand::config settings;
    settings.store = std::move(store);
    if (const char* shards = std::getenv("BENCH_SHARDS")) settings.shards = std::stoul(shards);
    if (const char* shown_at = std::getenv("BENCH_METRICS")) settings.metrics = shown_at;
    settings.log_level = "warn";
    return settings;
}

}  // namespace

errand::config over_socket() {
    if (const char* store = std::getenv("BENCH_STORE")) return settings_for(store);
    return settings_for("redis+unix://" + from_environment("BENCH_SOCKET"));
}

errand::config over_tcp() {
    if (const char* store = std::getenv("BENCH_STORE")) return settings_for(store);
    return settings_for("redis://127.0.0.1:" + from_environment("BENCH_PORT"));
}

bool is_shared(const errand::config& settings) { return settings.store != "sqlite::memory:"; }

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

}  // namespace load
