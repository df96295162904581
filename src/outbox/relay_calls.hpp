// How the relay brings rows to a store of several shards: in calls by the shards that they concern, all at the same time.
//
// A call that is not answered in a moment, because its shard is away, goes on by itself, and strikes its rows off when it is
// answered. Until that is done nothing else is sent where it goes: such rows stay in the outbox, for a later pass, and cost no
// wait. That is no failure; the next pass tells how such calls have ended.
#pragma once

#include "outbox/courier.hpp"

#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

namespace errand::detail {

// One look at all that was left behind.
struct relay_pass {
    std::exception_ptr failure{};                        // why something stays
    bool over_quota = false;                             // it lets no more through now
    std::int64_t delivered_late = 0;                     // by calls of earlier passes
    std::unordered_set<task_id> stayed{};                // what depends on these is not tried
    static constexpr std::size_t most_stayed = 100'000;  // of more nothing is tried that depends on anything
};

// On the app's background loop.
class relay_calls {
public:
    relay_calls(courier& by, loop& there) : by_{by}, there_{there} {}

    // Those that were delivered, of the rows of one page. `on` lives until the calls have ended.
    awaitable<std::vector<outbox_entry>> bring(std::shared_ptr<database_core> on,
                                               std::vector<outbox_entry> rows,
                                               std::shared_ptr<relay_pass> of);

private:
    struct wave;
    struct call;
    using parts = std::map<shard_set, std::vector<outbox_entry>>;

    parts next_wave(std::vector<outbox_entry>& rows, relay_pass& of) const;
    bool has_to_stay(const outbox_entry& row, const shard_set& route, const relay_pass& of) const;
    bool is_held_up(const shard_set& route) const;
    awaitable<void> run(std::shared_ptr<database_core> on, std::shared_ptr<call> one);

    courier& by_;
    loop& there_;
    std::vector<std::shared_ptr<call>> late_;  // go on by themselves
    // Of late calls that have ended since the last look.
    std::int64_t delivered_late_ = 0;
    std::exception_ptr failed_late_{};
};

}  // namespace errand::detail
