// Which shards a claim asks, and for how many tasks. Pure: is told the time and what was answered.
//
// A call for thirty tasks costs a shard little more than one for two, and what was claimed is reported where it was claimed: so
// a claim asks few shards, those that gave all that was asked for last. Where this worker waits it need not ask: it is told
// what comes. No shard is left alone for that: one where it does not wait is asked first after a while, whatever others have.
#pragma once

#include <errand/time.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace errand::shards {

// What a worker remembers of its shards from one claim to the next.
class claim_turns {
public:
    using instant = std::chrono::steady_clock::time_point;
    // When a worker is to look again, by the clock of the store, and when that is here.
    struct due_time {
        time_point at{};
        instant when{};
        time_point theirs{};  // by the clock of the shard, so that it is known again
    };

    explicit claim_turns(std::size_t shards);

    // The shard has told this worker that there is something, or has given it a task.
    void woken(std::size_t shard);
    // A report puts something off there: the shard is asked by the next claim, which so hears when that falls due.
    void put_off(std::size_t shard);
    // A claim goes to it. Returns what answered() is to be told: a message, or another call that takes this worker off, may
    // come between what the shard does and when its answer is read.
    unsigned asks(std::size_t shard, instant now);
    // `filled`: it gave all that was asked for; else this worker waits there. `due`: when it is to look again all the same.
    void answered(std::size_t shard, unsigned asked_as, bool filled, std::optional<due_time> due);
    // It has been taken off: it waits nowhere, as it has no room.
    void waits_nowhere();

    std::size_t shards() const noexcept { return all_.size(); }
    std::size_t first() const noexcept { return first_; }
    // It is told what comes, and nothing falls due before.
    bool waits(std::size_t shard, instant now) const;
    bool is_likely(std::size_t shard) const { return all_[shard].likely; }
    // It has not been asked for so long that it comes before others.
    bool is_overdue(std::size_t shard, instant now) const;
    instant asked_at(std::size_t shard) const { return all_[shard].asked; }
    // When this worker is to look again though nobody wakes it. What was told before and has fallen due is looked at by now, or
    // cannot be: its shard does not answer, and is not to hide when something falls due in others.
    std::optional<time_point> next_due(instant now);

    // A claim begins: now and then with another shard.
    void begin();
    // One for queues of its own begins: with the next shard.
    std::size_t next_in_turn() noexcept { return in_turn_ = (in_turn_ + 1) % all_.size(); }

private:
    struct place {
        bool waits = false;
        bool likely = true;  // it may have more: it gave all that was asked for, or says so, or is not known
        unsigned changes = 0;
        instant asked{};
        std::optional<due_time> due{};
        std::optional<time_point> told{};  // of those that are over: `theirs`
    };
    std::vector<place> all_;
    std::size_t first_ = 0;
    std::size_t in_turn_ = 0;
    unsigned claims_ = 0;
};

// How the free slots of one claim are shared: never more than `limit` in all; who filled its share is asked again as long as
// something is left, so that in the end the limit is reached, or every shard was found short or is waited at.
class claim_shares {
public:
    // `trusts_wakes`: where this worker waits is not asked.
    claim_shares(claim_turns& turns, std::size_t limit, bool trusts_wakes, claim_turns::instant now);
    // Of one who asks for other queues each time, of which nothing is known: all shards alike.
    claim_shares(claim_turns& turns, std::size_t limit);

    // What each shard is to be asked for now; empty when that was all.
    std::vector<std::size_t> next();
    void took(std::size_t shard, std::size_t asked, std::size_t got);
    // It is not asked (any more).
    void leave_out(std::size_t shard) { stands_[shard] = stand::out; }

    std::size_t left() const noexcept { return left_; }
    // Not all were asked, as this worker waits there.
    bool skipped() const noexcept { return skipped_; }

private:
    enum class stand : unsigned char { untried, filled, out };

    std::size_t first() const { return alike_ ? first_ : turns_.first(); }
    template <class Wanted>
    std::vector<std::size_t> those(Wanted wanted) const;
    std::vector<std::size_t> overdue() const;
    std::vector<std::size_t> likely(const std::vector<std::size_t>& besides) const;
    std::vector<std::size_t> to_ask();

    const claim_turns& turns_;
    const claim_turns::instant now_;
    std::vector<stand> stands_;
    std::size_t left_;
    bool alike_ = false;
    std::size_t first_ = 0;  // of a claim of all alike
    bool begun_ = false;
    bool skipped_ = false;
};

}  // namespace errand::shards
