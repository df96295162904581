// Submits the mixed load, and writes down what was accepted: only that is owed an end.
#pragma once

#include "support/task_journal.hpp"
#include "trial/chores.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace trial {

// Lines it adds: `accepted ID NUMBER`, behind a `needs:PARENT ID` for each that it depends on; `uncertain - NUMBER` when the store
// could not be asked; `gathers ID NUMBER` of one that is collected; `delayed ID MS SINCE`; `overdue - NUMBER MS` when a submission of one task was answered so long after its
// store_timeout; `cancelled ID` when it was told that the task is cancelled now; `reviving ID` before a dead task is revived and
// `revived ID` when that is done; `due ID SHARD WHEN` where there are several shards: of each some tasks are submitted at a steady
// rate, which waits for no answer. While the file JOURNAL.silent is there nothing is submitted.
class producer {
public:
    // Numbers its submissions from `first` on.
    producer(const std::string& journal, unsigned seed, int first, int per_second);
    struct program {
        bool steady = false;     // each of several shards gets tasks all the time
        bool schedules = false;  // some are declared as well, as declarer.hpp tells
        bool limits = false;     // tasks are submitted under limits (limiter.hpp)
    };
    // Until SIGTERM.
    void run(const program& what);

private:
    using task = errand::handle<mark>;
    using dice = std::minstd_rand;

    void lane(unsigned seed);
    void recur();
    void press_limits();
    void one(dice& random);
    void bulk(dice& random);
    void gather(dice& random);
    void depending(dice& random);
    void cancelled(dice& random);
    void revived(dice& random);
    void delayed(dice& random);
    void carry_out_when_due();
    void cancel(const task& one);
    void revive(const task& one);
    errand::awaitable<void> be_steady(std::size_t shards);
    errand::awaitable<void> submit_steadily(std::string biz_id, int number);
    template <class Handler, class... Args>
    std::optional<task> submit(const errand::options& with, int number, Args... args);
    void remember(const task& accepted);
    void look_at_time(std::chrono::steady_clock::time_point since, int number) const;

    errand::test::task_journal book_;
    errand::app app_;
    const unsigned seed_;
    const int per_second_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::atomic<int> number_;
    std::atomic<int> ticks_{0};
    int steady_ = 0;            // submissions that have not been answered
    std::mutex guard_;          // of what follows
    std::vector<task> recent_;  // a ring of those that will end well
    std::size_t next_ = 0;
    struct errand_later {
        std::chrono::steady_clock::time_point when;
        void (producer::*what)(const task&);
        task to;
    };
    std::deque<errand_later> later_;
};

}  // namespace trial
