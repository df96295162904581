// The queue in Redis: hash `tasks` (id -> body), list `ready`, sorted set `leases` (one member for a claimed batch),
// list `history`.
#pragma once

#include "redis.hpp"

#include <cstdint>
#include <string>

namespace benchmark_floor {

inline constexpr std::size_t id_size = 16;

// What came of finishing one batch and claiming the next.
struct turn {
    std::int64_t finished = 0;
    std::int64_t claimed = 0;
    std::int64_t id_sum = 0;  // of the claimed, read from their bodies
};

class queue {
public:
    // Makes the queue in an empty Redis; anything else is a failure.
    explicit queue(connection& on);

    // Sends tasks first .. first + count - 1. Each send_ is answered by one read_, in the same order.
    void send_submit(std::int64_t first, std::int64_t count);
    void read_submit(std::int64_t count);
    // `held`: the ids of the batch to finish; read_turn puts those of the next there.
    void send_turn(const std::string& held, std::int64_t limit);
    turn read_turn(std::string& held);

    // So many tasks are in the queue, all of them ready; else a failure.
    void check_holds(std::int64_t tasks);

private:
    connection& redis_;
    std::string submit_sha_;
    std::string turn_sha_;
    command next_;
};

}  // namespace benchmark_floor
