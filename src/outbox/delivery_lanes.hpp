// Which committed rows leave for the store together, and which have to wait for others: the books of a courier, which makes
// the calls. No I/O.
//
// What concerns the same shards has a lane of its own, so that a server that is away holds up only what needs it.
#pragma once

#include "client/open_transaction.hpp"
#include "outbox/entry.hpp"
#include "outbox/route.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace errand::detail {

struct lane_bounds {
    // There may be one for each set of shards; what comes then has one that waits for all of them.
    std::size_t lanes = 500;
    std::size_t in_line = 10'000, in_lines = 40'000;  // rows: of a lane, of all
    std::size_t on_way = 500;                         // in one call
    std::size_t worth_a_call = 400;                   // rows that wait for no more
};

// From any thread, but for what changes or looks at what is on its way: that is done on one.
class delivery_lanes {
public:
    // What leaves together, in order, one call after the other. A row concerns also the shards of what it must not overtake
    // and is not answered: so a lane waits for none that needs a shard which it does not need itself.
    class lane {
    public:
        shard_set shards{};  // never changes
        // What was fetched; whoever brings it may take rows out.
        std::vector<outbox_entry> on_way{};

    private:
        friend class delivery_lanes;
        std::deque<outbox_entry> line_{};
        bool awaited_ = false;  // something in the line is
        bool delivering_ = false;
        std::vector<std::pair<task_id, std::uint64_t>> asked_{};  // ids and tickets of what was fetched
    };
    // What is to be done about a commit in a line: nothing while a call that will take it along is being prepared.
    enum class need { nothing, haste, call };
    using needs_of_lanes = std::vector<std::pair<lane*, need>>;

    // `route`: the shards that a row concerns by itself, of so many.
    delivery_lanes(std::size_t shards, std::function<shard_set(const outbox_entry&)> route,
                   lane_bounds most = {});

    // The lanes that something is to be done about. What there is no room for, and what depends on that, is not taken.
    needs_of_lanes put_in_line(std::vector<outbox_entry> commit);
    // Nothing is taken any more.
    void stop();

    // It does not wait for more.
    bool is_urgent(const lane& in) const;
    // What is to leave now, whole commits, is on its way then: nothing while it has to wait for what leaves by other lanes. False,
    // and the delivery has ended, when there is nothing.
    bool fetch(lane& of);
    // What was fetched is not on its way any more. `stayed`: of these, what stays in the outbox.
    void answered(lane& of, std::unordered_set<task_id> stayed);
    // All of it stays there.
    void failed(lane& of);
    // Drops what is in its line.
    void give_up(lane& of);

    // It is in a line or on its way.
    bool has(const held_task& task) const;
    // Those whose delivery has not ended. They live as long as this.
    std::vector<const lane*> delivering() const;

private:
    // Where what is not answered stands; of a store of several shards.
    struct position {
        const lane* in = nullptr;
        std::uint64_t ticket = 0;
    };
    lane& lane_for(const outbox_entry& one);
    need put_in_line(lane& in, outbox_entry one);
    std::vector<position> before(const outbox_entry& one) const;
    bool must_wait(const lane& in, const outbox_entry& one) const;
    static bool takes_no_more(const lane& in, std::size_t most, std::uint64_t before);
    void strike_out(const task_id& id, std::uint64_t ticket);
    void leave_what_needs(std::unordered_set<task_id> left);

    const std::size_t shards_;
    const std::function<shard_set(const outbox_entry&)> route_;
    const lane_bounds most_;
    mutable std::mutex guard_;         // of what follows
    std::map<shard_set, lane> lanes_;  // made when they are needed, and kept
    std::unordered_multimap<task_id, position> unanswered_;
    std::uint64_t tickets_ = 0;
    std::size_t waiting_ = 0;  // in all lines
    bool stopped_ = false;
};

}  // namespace errand::detail
