// Group commit of submissions: what arrives while a call is under way leaves together with the next; a lone submission
// leaves at once.
#pragma once

#include "store/store.hpp"

#include <boost/asio/any_completion_handler.hpp>

#include <deque>
#include <exception>
#include <memory>
#include <vector>

namespace errand {

// On its loop's thread only.
class submitter {
public:
    explicit submitter(boost::asio::any_io_executor executor, store& to)
        : executor_{std::move(executor)}, to_{to} {}

    // One item; throws store_error when the store did not take it. A cancelled wait ends at once: whether the item is
    // accepted is then not known.
    awaitable<submit_answer> submit(submission_item item);
    // Many items as one group: in few calls, answered per item, in order. In another mode than `each` in one call.
    // A failed call leaves its exception in `failures` for its items.
    struct group_answer {
        std::vector<submit_answer> answers;
        std::vector<std::exception_ptr> failures;  // empty, or one per item
        std::vector<submission_item> items;        // as they came
    };
    awaitable<group_answer> submit_group(std::vector<submission_item> items, submit_mode mode);

private:
    using completion = boost::asio::any_completion_handler<void(std::exception_ptr, submit_answer)>;
    // Completed once: by the answer, or by a cancellation, after which the item goes out all the same.
    struct waiting {
        submission_item item;
        std::shared_ptr<completion> done;
    };
    struct group;

    void start_lanes();
    void start_lane(std::size_t lane);
    awaitable<void> run_lane(std::size_t lane);
    awaitable<void> send_singles(std::size_t lane);
    awaitable<void> send_part(std::size_t lane);

    boost::asio::any_io_executor executor_;
    store& to_;
    std::deque<waiting> singles_;
    std::deque<std::shared_ptr<group>> groups_;
    bool busy_[store::submit_lanes]{};
};

}  // namespace errand
