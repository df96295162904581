// The handlers of the trial that are under limits.
#pragma once

#include "trial/chores.hpp"
#include "trial/shared_limit.hpp"

namespace trial {

// Lines of an attempt: `enters:ID WHERE NUMBER FENCE`, and `leaves:ID WHERE NUMBER FENCE` however it ends; between them it holds its
// places, unless it has lost its claim. Some fail at first.
struct limited : chore {
    using chore::chore;

protected:
    errand::awaitable<mark> pass(std::string where, int number, errand::duration length);
};

struct limited_total : limited {
    using limited::limited;
    static std::string where(int) { return "total"; }
    errand::awaitable<mark> perform(int number, int key, errand::duration length);
};
struct limited_keyed : limited {
    using limited::limited;
    static std::string where(int key) { return "keyed/" + std::to_string(key); }
    static std::string concurrency_key(int, int key, const errand::duration&) { return where(key); }
    errand::awaitable<mark> perform(int number, int key, errand::duration length);
};
struct limited_shared : limited {
    using limited::limited;
    static std::string where(int) { return "shared"; }
    errand::awaitable<mark> perform(int number, int key, errand::duration length);
};
struct limited_rate : limited {
    using limited::limited;
    static std::string where(int) { return "rate"; }
    errand::awaitable<mark> perform(int number, int key, errand::duration length);
};
// By what is set at run time.
struct limited_spread : limited {
    using limited::limited;
    static std::string where(int) { return "spread"; }
    errand::awaitable<mark> perform(int number, int key, errand::duration length);
};
// Behind two limits.
struct limited_both : limited {
    using limited::limited;
    static std::string where(int key) { return "both/" + std::to_string(key); }
    static std::string concurrency_key(int, int key, const errand::duration&) { return where(key); }
    errand::awaitable<mark> perform(int number, int key, errand::duration length);
};

// A program runs and submits them from here on; before its first app.
void take_limited_handlers();

}  // namespace trial

#define TRIAL_LIMITED(type, ...)                                                                             \
    ERRAND_DECLARE_HANDLER(type, .max_retry = 1000, .backoff = errand::backoff::uniform(trial::short_pause), \
                           __VA_ARGS__)
TRIAL_LIMITED(trial::limited_total, .max_running = trial::most_in_total)
TRIAL_LIMITED(trial::limited_keyed, .max_running = trial::most_of_key)
TRIAL_LIMITED(trial::limited_shared, .limits = {std::string{trial::shared_name}})
TRIAL_LIMITED(trial::limited_rate, .rate = errand::per_second(trial::starts_of_rate))
TRIAL_LIMITED(trial::limited_both, .max_running = trial::most_of_key,
              .limits = {std::string{trial::shared_name}})
#undef TRIAL_LIMITED
ERRAND_DECLARE_HANDLER(trial::limited_spread, .max_retry = 1000,
                       .backoff = errand::backoff::uniform(trial::short_pause))
