// All submissions of a loop: a line for each shard, and one more for each where there is a shelf, for what asks that first; so what is
// away holds up nothing that others keep.
#pragma once

#include "runtime/submitter.hpp"

#include <deque>
#include <set>

namespace errand {

// On its loop's thread only.
class submissions {
public:
    // `patience`: as submitter's, for each line.
    submissions(const boost::asio::any_io_executor& executor, store& to, std::optional<duration> patience);

    // As submitter's.
    awaitable<submit_answer> submit(submission_item&& item);
    awaitable<submitter::group_answer> submit_group(std::vector<submission_item> items, submit_mode mode);

    // Nobody is told any more that he has waited too long.
    void close();

private:
    using group_answer = submitter::group_answer;
    // An all-or-nothing batch that concerns several shards: it is in several lines at once.
    struct whole;

    bool is_for_shelf(const submission_item& item) const;
    static bool shelf_may_know(const submission_item& item);
    // Of its shard, or of what asks the shelf there; the item says which.
    std::size_t line_of(submission_item& item) const;
    std::set<std::size_t> lines_of(std::vector<submission_item>& items, submit_mode mode) const;
    std::size_t shard_of_line(std::size_t line) const { return line % to_.shards(); }
    awaitable<group_answer> submit_apart(std::vector<submission_item> items);
    awaitable<group_answer> submit_whole(std::vector<submission_item> items, submit_mode mode,
                                         std::set<std::size_t> lines);
    awaitable<void> send(std::shared_ptr<whole> one);
    std::set<std::size_t> taken_by(const whole& one) const;
    std::size_t lane_for(const std::set<std::size_t>& lines) const;
    void let_go();

    boost::asio::any_io_executor executor_;
    store& to_;
    std::optional<duration> patience_;
    std::optional<duration> ahead_;  // nullopt: there is no shelf
    std::deque<submitter> lines_;    // one a shard, and behind them those that ask the shelf
    // In the order in which they came: each waits until no earlier one that waits or is under way is in one of its lines.
    // Those that a late shard holds up keep only that from others.
    std::deque<std::shared_ptr<whole>> wholes_;
    submit_backlog room_;  // of those that wait
};

}  // namespace errand
