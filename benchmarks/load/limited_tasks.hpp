// Handlers under limits, which are measured beside those without.
#pragma once

#include "tasks.hpp"

#include <string>

namespace load {

// Never closed here: what is measured is how it is counted.
inline const errand::limit shared_limit{"load-shared", {.max_running = 1000}};
inline const errand::limit closed_limit{"load-closed", {.max_running = 0}};

// Does nothing, with others of its handler and under a shared limit.
struct limited_nop {
    errand::awaitable<void> perform(item what);
};

// One at a time of each key; ids are spread over `keys` of them.
struct keyed_nop {
    static std::size_t keys;
    errand::awaitable<void> perform(item what);
    static std::string concurrency_key(const item& what);
};

// Does not start: a group for each id, behind one closed limit.
struct barred {
    errand::awaitable<void> perform(item what);
    static std::string concurrency_key(const item& what);
};

// Once a day of each id: a group for each, behind a rate of its own.
struct rationed {
    errand::awaitable<void> perform(item what);
    static std::string rate_key(const item& what);
};

}  // namespace load

ERRAND_DECLARE_HANDLER(load::limited_nop, .name = "limited_nop", .max_running = 64, .limits = {"load-shared"})
ERRAND_DECLARE_HANDLER(load::keyed_nop, .name = "keyed_nop", .max_running = 1, .limits = {"load-shared"})
ERRAND_DECLARE_HANDLER(load::barred, .name = "barred", .limits = {"load-closed"})
ERRAND_DECLARE_HANDLER(load::rationed, .name = "rationed",
                       .rate = errand::rate_limit{.count = 1, .per = std::chrono::hours{24}})
