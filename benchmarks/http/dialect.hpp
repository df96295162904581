// How one of the service's interfaces is asked: errand's own (REST), or lmstfy's.
#pragma once

#include "client.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace http_load {

// Jobs by their ids: two that hold the same ones are equal.
struct tally {
    std::size_t count = 0;
    std::size_t mark = 0;

    void add(std::string_view id);
    void add(const tally& other);
    bool operator==(const tally&) const = default;
};

// One that was taken, as long as the answer that it stands in.
struct job {
    std::string_view id;
    std::string_view claim;
};

// Where the service listens, and its process.
struct service {
    std::uint16_t rest_port = 0;
    std::uint16_t lmstfy_port = 0;
    std::string token;  // of lmstfy's API
    std::string pid;

    static service of_environment();
};

// Requests are written, answers read. What an answer should not be is a failure.
class dialect {
public:
    virtual ~dialect() = default;

    std::uint16_t port() const noexcept { return port_; }
    // Of one publication.
    virtual std::size_t most_published() const = 0;

    // Job number `first`, or so many from there on.
    virtual std::string publish(std::size_t first, std::size_t count) const = 0;
    virtual void read_published(const answer& got, tally& into) const = 0;
    virtual std::string take(std::size_t most, std::size_t wait_seconds) const = 0;
    // Nothing: there was none. Of one that says done() and take() at once, too.
    virtual std::vector<job> read_taken(const answer& got) const = 0;
    // That these have succeeded. lmstfy's API takes one.
    virtual std::string done(const std::vector<job>& jobs) const = 0;
    // The same, and take() in the same request; lmstfy's API has no such thing.
    virtual std::string done_and_take(const std::vector<job>& jobs, std::size_t most,
                                      std::size_t wait_seconds) const = 0;
    // For so many of them.
    virtual std::size_t read_done(const answer& got) const = 0;

protected:
    explicit dialect(std::uint16_t port) : port_{port} {}

private:
    std::uint16_t port_;
};

std::unique_ptr<dialect> rest_of(const service& at);
std::unique_ptr<dialect> lmstfy_of(const service& at);

// How many jobs there are in a state, such as "ready", whoever published them.
std::size_t count_in(const service& at, std::string_view state);

// Whether as many requests wait as may: one more is refused.
bool is_full(const service& at);

}  // namespace http_load
