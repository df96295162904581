// Asks the store what the quota of the namespace lets through, for all submissions of a loop: what comes while a question is under
// way is asked for together with the next.
#pragma once

#include "runtime/async_gate.hpp"
#include "runtime/settings_book.hpp"
#include "store/store.hpp"

#include <deque>
#include <exception>
#include <memory>

namespace errand {

// One question, and a count of what is queued where that is wanted first. `still`: the clock may stand still, so that only a
// new count tells what has changed.
awaitable<quota_answer> take_from_quota(store& in, quota rules, std::int64_t count, bool whole, bool still);

// How many tasks count for max_queued.
awaitable<std::int64_t> count_queued(store& in);

// On its loop's thread only.
class quota_desk {
public:
    quota_desk(const boost::asio::any_io_executor& executor, store& in, const settings_book& book, bool still)
        : executor_{executor}, in_{in}, book_{book}, still_{still}, answered_{executor} {}

    // For so many tasks; `whole`: all of them or none. All of them where no quota is set. Throws store_error.
    awaitable<quota_answer> take(std::int64_t count, bool whole);

private:
    struct question {
        std::int64_t count = 0;
        bool whole = false;
        bool ended = false;
        quota_answer answer{};
        std::exception_ptr failure{};
    };
    using questions = std::deque<std::shared_ptr<question>>;

    awaitable<void> ask_all();
    questions next_questions();

    boost::asio::any_io_executor executor_;
    store& in_;
    const settings_book& book_;
    bool still_;
    async_gate answered_;
    questions waiting_;
    bool asking_ = false;
};

}  // namespace errand
