// When what happened to the store and the workers of a trial, by the monotonic clock in ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace trial {

struct chronicle {
    // Of the store's clock: at some moment from `when` to `done`, and where it is each process's own, for each at another.
    struct jump {
        std::int64_t when = 0;
        std::int64_t by = 0;
        std::int64_t done = 0;  // nothing: at once

        std::int64_t over() const { return done > when ? done : when; }
    };
    struct death {  // of a worker, by SIGKILL
        std::int64_t when = 0;
        pid_t pid = 0;
    };
    struct storm {  // the store was away, or its clock wrong
        std::int64_t from = 0;
        std::int64_t to = 0;
    };
    struct outage {  // of one server, while the others are there
        std::size_t shard = 0;
        std::int64_t from = 0;
        std::int64_t to = 0;
    };
    struct stop {  // a worker stood still (SIGSTOP)
        pid_t pid = 0;
        std::int64_t from = 0;
        std::int64_t to = 0;
    };
    // How a schedule stood before it was cancelled, all at one moment; times by the store's clock (ms).
    struct schedule {
        std::string id{};
        std::string key{};
        std::int64_t created = 0;
        std::optional<std::int64_t> next{};  // the tick that it waits for
        std::int64_t runs = 0, missed = 0, skipped = 0;
        std::int64_t runs_at_end = 0;  // when it had been cancelled
        bool stopped = false;          // nothing came of it any more, although workers were there
        bool late = false;             // it had stood still until it was looked at, as nobody had told it
    };
    // Of a limit, when all had ended.
    struct held_limit {
        std::string name{};
        std::int64_t running = 0, waiting = 0;
    };
    std::vector<jump> jumps{};
    std::vector<death> deaths{};
    std::vector<storm> storms{};
    std::vector<outage> misses{};   // a shard is not to be reckoned with
    std::vector<outage> outages{};  // long ones: what the others do meanwhile is measured
    std::size_t shards = 1;
    std::vector<stop> stops{};
    std::vector<storm> pauses{};  // of the queue: nothing is to start
    // Workers whose own clock, by which they look at what is due, is late by so much (ms).
    std::map<pid_t, std::int64_t> late_clocks{};
    // No worker dies and no connection is cut, so that nobody keeps from the rest what he was told.
    bool undivided = false;
    std::vector<death> leavings{};  // told to end: these claim no more
    std::vector<schedule> schedules{};
    std::vector<held_limit> limits_held{};
    std::int64_t store_ahead = 0;           // of the monotonic clock, before the first jump
    std::vector<std::int64_t> emptyings{};  // all that the store kept was taken away
};

}  // namespace trial
