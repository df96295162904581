// The life of tasks: how they come, who takes them, what is said of them, and how they end; and of the workers that take them.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "store/store_calls.hpp"
#include "store/submission.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class task_store {
public:
    // Lanes 0 .. submit_lanes-1, as many again for what a shelf is asked about first, and from there on as many as batches over
    // several shards need; one call in flight per lane and shard.
    static constexpr std::size_t submit_lanes = 2;
    static constexpr std::size_t lane_behind_shelf = submit_lanes;
    static constexpr std::size_t lane_of_several_shards = 2 * submit_lanes;
    virtual awaitable<std::vector<submit_answer>> submit(std::size_t lane,
                                                         std::span<const submission_item> items,
                                                         submit_mode mode) = 0;
    // What one call carries, give or take one item: on a line of 1 Mbit/s it is sent in four seconds, which is well under a
    // lease and store_timeout.
    static constexpr std::size_t most_bytes_per_call = std::size_t{512} * 1000;
    // These do not come again. What nobody says that of is remembered for so long.
    static constexpr duration remembers_for = std::chrono::days{200};
    virtual awaitable<void> forget(std::span<const delivered_task> tasks) = 0;
    static constexpr std::size_t work_lanes = 2;
    virtual awaitable<work_answer> work(const work_call& call) = 0;
    // It has no free slot, although a claim of it found too little: what it may be woken for falls to others.
    virtual awaitable<void> busy(std::span<const std::string> queues) = 0;
    // Takes tasks that stand aside under a new claim. One call in flight. Whoever found fewer than it asked for hears
    // stands_aside() when there are some again, as far as the store knows which handlers it knows: beat() has told it.
    virtual awaitable<adopt_answer> adopt(const adopt_call& call) = 0;
    virtual awaitable<extend_answer> extend(const extend_call& call) = 0;
    // One call in flight. Each wish may be repeated. So many in one call.
    static constexpr std::size_t yields_per_call = 500;
    virtual awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) = 0;
    // Replaces the notes of a task this worker runs; lease_lost when it is no longer its own.
    virtual awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) = 0;
    // Keeps an encoded stage_record with a task this worker runs, behind those of the same life; a second one of its name
    // changes nothing. lease_lost when the task is no longer its own.
    virtual awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                            std::string record) = 0;
    // What is kept of the stages of a task this worker runs.
    virtual awaitable<stages_answer> stages(const task_id& id, claim_number claim) = 0;
    // Makes what is due ready, ends what has expired (with this encoded outcome), wakes an idle worker of every queue
    // that has ready tasks.
    virtual awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                              std::string_view expired_outcome) = 0;
    // Takes over about `limit` tasks whose lease has run out, under a new claim of this worker.
    virtual awaitable<recover_answer> recover(std::size_t limit, duration lease) = 0;
    // Deletes up to `limit` ended tasks whose retention is over; how many went or came nearer to it, 0: none is left.
    virtual awaitable<std::size_t> clean(std::size_t limit) = 0;
    // Deletes up to `limit` of the oldest ended tasks of queues that keep more than `most`; returns as clean() does.
    virtual awaitable<std::size_t> trim(std::size_t most, std::size_t limit) = 0;
    // Ends a task that has not ended, also a working one (its worker is told), with this encoded outcome. A life of 0
    // means whichever is there.
    virtual awaitable<cancel_answer> cancel(const task_id& id, incarnation life,
                                            std::string_view outcome) = 0;
    virtual awaitable<std::optional<found_task>> find(const task_id& id) = 0;
    // From now on the listener hears of the end of these tasks.
    virtual awaitable<watch_answer> watch(std::span<const watched_task> tasks) = 0;

    // A task that ended otherwise than by success starts again with these notes: it stands aside where they tell of workers
    // that do not know its handler. `other_body`: in the place of its own; empty: as it was. False: it has not ended so.
    virtual awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                                   std::string_view encoded_notes, std::string_view other_body = {}) = 0;

    // Shows that this worker, which serves these queues, is alive: `card` is JSON text (host, pid, queues, handlers, …),
    // kept for `ttl`. Of the workers that serve a queue one is told every `looks_every` to look after it.
    static constexpr duration looks_every{4'000};
    virtual awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                        std::span<const std::string> queues) = 0;
    // This worker claims no more: out of the idle sets, its card forgotten.
    virtual awaitable<void> leave(std::span<const std::string> queues) = 0;

protected:
    ~task_store() = default;
};

}  // namespace errand
