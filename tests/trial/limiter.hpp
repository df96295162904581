// What a producer does to the trial's limits: bursts of tasks under them, more than they let start at once; some of these it
// cancels; and now and then it lowers the shared limit, or closes it, for a moment. What is limited at run time alone it submits
// when it has limited it.
#pragma once

#include "support/task_journal.hpp"
#include "trial/limited.hpp"

#include <chrono>
#include <functional>
#include <random>

namespace trial {

// Lines it adds: `behind:ID WHERE NUMBER` before `accepted ID NUMBER`, and `uncertain - NUMBER`; `cancelled ID`; and those of
// shared_limit.hpp.
class limiter {
public:
    // `per_second`: other submissions of this producer; bursts are rarer where these are.
    limiter(errand::app& app, const errand::test::task_journal& book, unsigned seed, int per_second,
            std::function<int()> next_number);

    // The only one of its process, so that what it submits comes in one order.
    void run(const std::function<bool()>& is_over);

private:
    using task = errand::handle<mark>;

    void any_burst();
    void burst_of_spread();
    template <class Handler>
    void burst();
    template <class Handler>
    void submit_one(std::vector<task>& into, int key);
    template <class Handler>
    void submit_bulk(std::vector<task>& into, int key, int count);
    void note(const task& accepted, const std::string& where, int number) const;
    void cancel_some(const std::vector<task>& all);
    void change(const std::function<bool()>& is_over);
    int between(int from, int to);

    errand::app& app_;
    const errand::test::task_journal& book_;
    std::minstd_rand random_;
    const std::chrono::milliseconds pause_;
    const std::function<int()> next_number_;
    bool spread_is_limited_ = false;
};

}  // namespace trial
