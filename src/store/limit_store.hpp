// Where limits are kept, and what the store knows of them. Which gates a task has stands in its body (core/gates.hpp); a store
// lets it start when all of them are open, and takes all in one step.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/limit.hpp>
#include <errand/time.hpp>

#include "core/task_id.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
    duration throttled{0};                 // the time in which at least one task waited because of it
    // Of one of several shards: the version of the share that was set here, 0: none was; whether its data was on another server
    // then, or on this one before it was started anew; how many attempts have waited for other tasks and wait to go on; when that
    // was so, by its clock.
    std::uint64_t share = 0;
    bool share_is_old = false;
    std::int64_t in_line = 0;
    time_point seen_at{};
};

// Who waits at one gate of a limit: at one of its keys, or at what is allowed of all keys together.
struct gate_waiters {
    std::string key;           // as core/gates.hpp has it; zeros: of all keys
    std::int64_t waiting = 0;  // tasks
    task_id first{};           // of these the one that goes first
};

// How limits are shared out among shards (core/limit_shares.hpp), kept in the first of them.
struct lent_limits {
    bool others_do_it = false;  // another worker keeps them in balance
    std::vector<std::string> records{};
};

// A gate that is closed now.
struct closed_gate {
    std::string limit;
    bool keyed = false;   // it is the task's key that is limited
    bool shared = false;  // what is allowed is the share of one shard
    std::int64_t running = 0;
    std::optional<int> max_running{};      // set: so many run
    std::optional<time_point> opens_at{};  // set: closed by its rate until then
};

enum class limits_balance : unsigned char {
    even,       // all shards have heard of their shares
    behind,     // some have not: they are away
    changing,   // something was told, and what follows from it can be done soon
    elsewhere,  // another worker looks after it
};

class limit_store {
public:
    // What this program declares. The same again changes nothing; what was set at run time stays in force.
    virtual awaitable<void> declare_limits(std::span<const named_limit> limits) = 0;
    // At run time; nullopt: the declared one is in force again. Tasks that wait go on at once as far as they may.
    // Over several shards it holds in the first one, where what policies limit stands, unless it is shared out already.
    virtual awaitable<void> set_limit(const std::string& name, std::optional<limit_rule> rule) = 0;
    // The same, for tasks that stand in any shard: each has a share of it.
    virtual awaitable<void> spread_limit(const std::string& name, std::optional<limit_rule> rule) {
        return set_limit(name, std::move(rule));
    }
    // All of which anything is known, by name.
    virtual awaitable<std::vector<limit_state>> limits() = 0;
    // Who waits at this one, the gates with most tasks first, so many at most. Of thousands of keys some are not looked at; of
    // several shards each has gates of its own.
    virtual awaitable<std::vector<gate_waiters>> waiting_at(std::string name, std::size_t most) = 0;
    // What limits allow in each shard follows what is needed there. `worker`: one does it for all; empty: this one, this time.
    virtual awaitable<limits_balance> balance_limits(std::string_view /*worker*/) {
        co_return limits_balance::even;
    }

    // ---- of a store that is one of several shards ----

    // By these names, in this order, whether they are known or not.
    virtual awaitable<std::vector<limit_state>> limits_of(std::span<const std::string> /*names*/) {
        co_return std::vector<limit_state>{};
    }
    // As set_limit(), unless a share of this version or a newer one was set, and is in force. A rate of count 0: none starts, and who
    // has waited for another task goes on as far as .max_running allows. `whole`: what all shards allow together.
    virtual awaitable<void> set_share(const std::string& /*name*/, std::uint64_t /*version*/,
                                      std::optional<limit_rule> /*share*/, limit_rule /*whole*/) {
        co_return;
    }
    // `worker`: who will keep them in balance if no other does; empty: nobody.
    virtual awaitable<lent_limits> lent(std::string_view /*worker*/) { co_return lent_limits{}; }
    // Returns whether it was as it was seen, and is this now; `seen`: its stamp, 0: there was none.
    virtual awaitable<bool> lend(const std::string& /*name*/, std::uint64_t /*seen*/,
                                 std::string /*record*/) {
        co_return false;
    }

protected:
    ~limit_store() = default;
};

}  // namespace errand
