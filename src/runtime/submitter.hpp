// Group commit of submissions: what arrives while a call is under way leaves together with the next; a lone submission
// leaves at once.
//
// `patience` counts from the entry: whoever has waited for so long is told so, whether his item has left or not. A group
// that is sent in parts has so long for each of them.
#pragma once

#include "runtime/submit_limits.hpp"
#include "store/store.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace errand {

// On its loop's thread only.
class submitter {
public:
    // No patience: for ever.
    submitter(boost::asio::any_io_executor executor, store& to, std::optional<duration> patience)
        : executor_{std::move(executor)}, to_{to}, patience_{patience}, late_{executor_} {}

    // One item; throws store_error when the store did not take it, and at once when too much waits already. A cancelled wait
    // ends at once: whether the item is accepted is then not known.
    awaitable<submit_answer> submit(submission_item&& item);
    // Many items as one group: in few calls, answered per item, in order. In another mode than `each` in one call.
    // A failed call leaves its exception in `failures` for its items.
    struct group_answer {
        std::vector<submit_answer> answers;
        std::vector<std::exception_ptr> failures;  // empty, or one per item
        std::vector<submission_item> items;        // as they came
    };
    awaitable<group_answer> submit_group(std::vector<submission_item> items, submit_mode mode);

    // Nobody is told any more that he has waited too long.
    void close();

private:
    using clock = std::chrono::steady_clock;
    using completion = boost::asio::any_completion_handler<void(std::exception_ptr, submit_answer)>;
    // Completed once: by the answer, or by a cancellation, after which the item goes out all the same.
    struct waiter {
        std::shared_ptr<completion> done;
        clock::time_point since;
    };
    struct waiting {
        submission_item item;
        waiter who;
    };
    struct group;

    void start_lanes();
    void start_lane(std::size_t lane);
    awaitable<void> run_lane(std::size_t lane);
    awaitable<void> send_singles(std::size_t lane);
    awaitable<void> send_part(std::size_t lane);
    void rest();
    std::optional<clock::time_point> first_limit() const;
    void watch();
    void give_up_late();
    void give_up(group& batch);

    boost::asio::any_io_executor executor_;
    store& to_;
    std::optional<duration> patience_;
    boost::asio::steady_timer late_;
    bool watching_ = false;
    bool closed_ = false;
    submit_backlog room_;  // of those not sent
    std::deque<waiting> singles_;
    std::deque<std::shared_ptr<group>> groups_;                // of which a part has not left
    std::vector<std::shared_ptr<group>> open_groups_;          // of which a part was not answered
    std::vector<waiter> on_their_way_[store::submit_lanes]{};  // singles in calls
    bool busy_[store::submit_lanes]{};
};

}  // namespace errand
