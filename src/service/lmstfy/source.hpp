// The queues of another server that speaks lmstfy's API, an lmstfy or an errand, as a consumer of them.
#pragma once

#include <errand/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::lmstfy {

struct source_address {
    std::string host;  // without the brackets of an IPv6 address
    std::uint16_t port = 0;
    std::string token;  // "token" or "pool:token"
    std::string name_space;
    std::vector<std::string> queues;
    std::string shown;  // without the token
};

// "lmstfy://TOKEN@host:port/namespace/queue,queue". Throws usage_error that says nothing of the token.
source_address read_source(std::string_view url);

struct source_job {
    std::string id;
    std::string queue;
    std::string data;  // base64 text
    duration age{0};
    std::int64_t ttl = 0;    // seconds that are left; 0: for ever
    std::int64_t tries = 0;  // that are left after this delivery
    std::map<std::string, std::string> attributes;
    std::string text;  // as it was answered, without its data
};

// The jobs of an answer, which has one or an array of them. Throws bad_data.
std::vector<source_job> read_source_jobs(std::string_view body);

// A call takes as long as the server does, half a minute at most besides what it was asked to wait. On one thread. Calls throw
// runtime_error with a sentence that says what to do, when the server is away or says no.
class source {
public:
    explicit source(source_address from);
    ~source();
    source(const source&) = delete;
    source& operator=(const source&) = delete;

    // At most so many of its jobs that are ready, which come back there after `ttr` if they are not acknowledged.
    // Nullopt: it takes no more requests of this token now.
    std::optional<std::vector<source_job>> take(std::size_t most, std::chrono::seconds ttr);
    void acknowledge(const source_job& one);
    // How many are ready in all its queues, as far as it knows: an lmstfy counts those that have expired, too.
    std::uint64_t size() { return sum_of("/size", "size"); }
    // Of delayed jobs, and of those that somebody has taken, its API does not tell.
    std::uint64_t dead_letters() { return sum_of("/deadletter", "deadletter_size"); }

private:
    class line;

    std::uint64_t sum_of(std::string_view path, std::string_view member);

    const source_address at_;
    const std::string front_;  // of all paths
    const std::unique_ptr<line> line_;
};

}  // namespace errand::lmstfy
