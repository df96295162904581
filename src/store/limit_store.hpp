// Where limits are kept, and what the store knows of them. Which gates a task has stands in its body (core/gates.hpp); a store
// lets it start when all of them are open, and takes all in one step.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/limit.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace errand {

struct named_limit {
    std::string name;  // "handler:<name>", "queue:<name>", "namespace", or of a declared one
    limit_rule rule{};
};

struct limit_state {
    std::string name;
    std::optional<limit_rule> declared{};  // by the worker that started last
    std::optional<limit_rule> set{};       // at run time; goes before
    std::int64_t running = 0;              // starts that have not ended, of all keys
    std::int64_t waiting = 0;              // tasks that wait because of it, of all keys
    std::optional<time_point> opens_at{};  // closed by its rate until then: the earliest of all keys
};

// A gate that is closed now.
struct closed_gate {
    std::string limit;
    bool keyed = false;  // it is the task's key that is limited
    std::int64_t running = 0;
    std::optional<int> max_running{};      // set: so many run
    std::optional<time_point> opens_at{};  // set: closed by its rate until then
};

class limit_store {
public:
    // What this program declares. The same again changes nothing; what was set at run time stays in force.
    virtual awaitable<void> declare_limits(std::span<const named_limit> limits) = 0;
    // At run time; nullopt: the declared one is in force again. Tasks that wait go on at once as far as they may.
    virtual awaitable<void> set_limit(const std::string& name, std::optional<limit_rule> rule) = 0;
    // All of which anything is known, by name.
    virtual awaitable<std::vector<limit_state>> limits() = 0;

protected:
    ~limit_store() = default;
};

}  // namespace errand
