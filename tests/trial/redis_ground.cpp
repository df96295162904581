#include "trial/redis_ground.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace trial {

using namespace std::chrono_literals;
using errand::test::holds_within;
using errand::test::redis_server;
using errand::test::tcp_gate;

namespace {

std::string temporary_file() {
    auto pattern = (std::filesystem::temp_directory_path() / "errand-clock-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    if (file < 0) throw std::runtime_error{"no temporary file"};
    ::close(file);
    return pattern;
}

}  // namespace

redis_ground::redis_ground(const terms& how)
    : lone_{how.lone},
      replicated_{how.replicated},
      confirmed_{how.confirmed},
      every_second_{how.every_second},
      shards_{how.shards},
      clock_{temporary_file()} {
    for (std::size_t at = 0; at < (replicated_ ? 2U : shards_); ++at) {
        std::vector<std::string> environment;
        for (const auto& [name, value] : clock_->variables()) environment.push_back(name + '=' + value);
        servers_.push_back(std::make_unique<redis_server>(redis_server::options{
            .tcp = true,
            .append_only = true,
            .arguments = {"--repl-diskless-sync-delay", "0", "--repl-backlog-size", "64mb",
                          "--client-output-buffer-limit", "pubsub 4mb 2mb 60"},
            .environment = std::move(environment)}));
        if (every_second_) servers_.back()->command({"CONFIG", "SET", "appendfsync", "everysec"});
    }
    if (replicated_) follow(1);
}

redis_ground::~redis_ground() { std::filesystem::remove(clock_->path()); }

way redis_ground::next_way() {
    way to;
    for (std::size_t shard = 0; shard < shards_; ++shard) {
        gates_.push_back(std::make_unique<tcp_gate>(server_of(shard).port()));
        to.gates.push_back(gates_.back().get());
        to.url +=
            (shard > 0 ? "," : "") + gates_.back()->url() + (replicated_ && confirmed_ ? "?wait=1" : "");
    }
    return to;
}

std::string redis_ground::url() const {
    if (shards_ == 1) return servers_[primary_]->url() + (replicated_ && confirmed_ ? "?wait=1" : "");
    std::string all;
    for (const auto& one : servers_) all += (all.empty() ? "" : ",") + one->url();
    return all;
}

std::vector<std::pair<std::string, std::string>> redis_ground::variables() const {
    return {{"ERRAND_SHARDS", std::to_string(shards_)}};
}

void redis_ground::fill() {
    for (std::size_t shard = 0; shard < shards_; ++shard)
        server_of(shard).command({"CONFIG", "SET", "maxmemory", "1mb"});
}

bool redis_ground::make_room() {
    for (std::size_t shard = 0; shard < shards_; ++shard)
        server_of(shard).command({"CONFIG", "SET", "maxmemory", "0"});
    return true;
}

void redis_ground::mend() {
    for (const auto& gate : gates_) {
        gate->stall(false);
        gate->slow(0, 0ms);
    }
}

void redis_ground::rest() {
    for (std::size_t shard = 0; shard < shards_; ++shard)
        server_of(shard).command({"CONFIG", "SET", "client-output-buffer-limit", "pubsub 0 0 0"});
}

void redis_ground::tend() {
    if (every_second_) note_written();
}

void redis_ground::follow(std::size_t replica) {
    auto link = std::make_unique<tcp_gate>(primary().port());
    servers_[replica]->command({"REPLICAOF", "127.0.0.1", std::to_string(link->port())});
    link_ = std::move(link);
    holds_within(20s, [&] { return replica_is_there(); });
}

bool redis_ground::replica_is_there() const {
    const auto told = servers_[1 - primary_]->command({"INFO", "replication"});
    return told.find("role:slave") != std::string::npos &&
           told.find("master_link_status:up") != std::string::npos;
}

bool redis_ground::replica_has_all() const {
    const auto offset = [](const redis_server& of, const std::string& field) {
        const auto told = of.command({"INFO", "replication"});
        const auto at = told.find(field + ':');
        return at == told.npos ? -1 : std::stoll(told.substr(at + field.size() + 1));
    };
    return offset(*servers_[1 - primary_], "slave_repl_offset") ==
           offset(*servers_[primary_], "master_repl_offset");
}

void redis_ground::hold_replica() {
    if (!link_) follow(1 - primary_);
    link_->stall(true);
}

void redis_ground::cut_all() {
    for (const auto& gate : gates_) gate->cut();
}

void redis_ground::promote() {
    servers_[primary_]->kill();
    if (link_) link_->cut();  // with what is held back
    link_.reset();
    primary_ = 1 - primary_;
    primary().command({"REPLICAOF", "NO", "ONE"});
    for (const auto& gate : gates_) gate->lead_to(primary().port());
}

void redis_ground::bring_back() {
    servers_[1 - primary_]->restart();
    follow(1 - primary_);
}

void redis_ground::fail_over() {
    promote();
    bring_back();
}

bool redis_ground::change_places() {
    const auto old = primary_;
    primary().command({"FAILOVER", "TIMEOUT", "5000"});
    const bool changed = holds_within(10s, [&] {
        return servers_[old]->command({"INFO", "replication"}).find("role:slave") != std::string::npos;
    });
    if (!changed) return false;
    link_.reset();
    primary_ = 1 - old;
    for (const auto& gate : gates_) gate->lead_new_to(primary().port());
    return true;
}

void redis_ground::restart(std::size_t shard, std::chrono::milliseconds pause) {
    auto& server = server_of(shard);
    server.kill();
    if (every_second_) lose_last_second();
    std::this_thread::sleep_for(pause);
    server.restart();
    if (every_second_) server.command({"CONFIG", "SET", "appendfsync", "everysec"});
}

// ---- a power cut ------------------------------------------------------------------------------------

// The newest of the files to which Redis appends.
std::filesystem::path redis_ground::appended_file() const {
    std::filesystem::path newest;
    const auto at = servers_[primary_]->folder() / "appendonlydir";
    for (const auto& one : std::filesystem::directory_iterator{at}) {
        const bool appended = one.path().string().ends_with(".incr.aof");
        if (appended && (newest.empty() || one.last_write_time() > std::filesystem::last_write_time(newest)))
            newest = one.path();
    }
    return newest;
}

void redis_ground::note_written() {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(appended_file(), ignored);
    if (!ignored && (written_.empty() || written_.back().first + 20 < ms_now()))
        written_.emplace_back(ms_now(), size);
}

// A kill leaves with the kernel what was written; a power cut takes what was not flushed: up to a second.
void redis_ground::lose_last_second() {
    const auto from = ms_now() - 1000;
    const auto after = std::ranges::find_if(written_, [&](const auto& one) { return one.first > from; });
    const auto at = appended_file();
    if (after != written_.begin() && after != written_.end())
        std::filesystem::resize_file(at, std::prev(after)->second);
    written_.clear();
}

std::unique_ptr<ground> make_redis_ground(const terms& how) { return std::make_unique<redis_ground>(how); }

}  // namespace trial
