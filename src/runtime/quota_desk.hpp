// Asks the store what the quota of the namespace lets through, for all submissions of a loop: what comes while a question is under
// way is asked for together with the next.
#pragma once

#include "runtime/async_gate.hpp"
#include "runtime/settings_book.hpp"
#include "runtime/submit_limits.hpp"
#include "store/store.hpp"

#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace errand {

// One question, and a count of what is queued where that is wanted first. `still`: the clock may stand still, so that only a
// new count tells what has changed.
awaitable<quota_answer> take_from_quota(store& in, quota rules, std::int64_t count, bool whole, bool still);

// How many tasks count for max_queued.
awaitable<std::int64_t> count_queued(store& in);

// On its loop's thread only.
class quota_desk {
public:
    // No patience: for ever. `trouble`: told in words when quotas are not applied, and when they are again.
    quota_desk(const boost::asio::any_io_executor& executor, store& in, const settings_book& book, bool still,
               std::optional<duration> patience, std::function<void(std::string_view)> trouble)
        : executor_{executor},
          in_{in},
          book_{book},
          still_{still},
          patience_{patience},
          trouble_{std::move(trouble)},
          answered_{executor},
          late_{executor} {}

    // For so many tasks; `whole`: all of them or none. All of them where no quota is set. Throws store_error, also when the answer
    // does not come within the patience, which counts from here, and when too much waits already.
    awaitable<quota_answer> take(std::int64_t count, bool whole);

private:
    using clock = std::chrono::steady_clock;
    struct question {
        clock::time_point since = clock::now();
        std::int64_t count = 0;
        bool whole = false;
        bool ended = false;
        quota_answer answer{};
        std::exception_ptr failure{};
    };
    using questions = std::deque<std::shared_ptr<question>>;

    awaitable<void> ask_all();
    void counted(bool now);
    questions next_questions();
    void look_for_late();
    void give_up_late();
    void rest();

    boost::asio::any_io_executor executor_;
    store& in_;
    const settings_book& book_;
    bool still_;
    std::optional<duration> patience_;
    std::function<void(std::string_view)> trouble_;
    bool counts_ = true;  // the server that counts has answered last
    async_gate answered_;
    questions waiting_;  // the oldest first
    questions under_way_;
    submit_backlog room_;
    bool asking_ = false;
    boost::asio::steady_timer late_;
    bool looking_for_late_ = false;
};

}  // namespace errand
