// When what happened to the store and the workers of a trial, by the monotonic clock in ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>
#include <vector>

namespace trial {

struct chronicle {
    struct jump {  // of the store's clock
        std::int64_t when = 0;
        std::int64_t by = 0;
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
    bool outages_alone = false;  // nothing else strikes in this trial
    std::vector<jump> jumps{};
    std::vector<death> deaths{};
    std::vector<storm> storms{};
    std::vector<outage> misses{};   // a shard is not to be reckoned with
    std::vector<outage> outages{};  // long ones: what the others do meanwhile is measured
    std::size_t shards = 1;
    std::vector<stop> stops{};
    std::vector<death> leavings{};          // told to end: these claim no more
    std::vector<std::int64_t> emptyings{};  // all that the store kept was taken away
};

}  // namespace trial
