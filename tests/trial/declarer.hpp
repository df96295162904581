// What a producer does to the trial's schedules: all producers declare them, at the same moments, pause and resume them, give
// them other arguments, and make runs by hand.
#pragma once

#include "support/task_journal.hpp"
#include "trial/chores.hpp"
#include "trial/recurring.hpp"

#include <functional>
#include <map>
#include <random>
#include <string_view>

namespace trial {

// Lines it adds, each with a number of its own: `declares KEY NUMBER` before and `declared KEY NUMBER` after a declaration with
// that number as its argument; `pauses` and `paused`, `resumes` and `resumed` likewise; `accepted ID` of runs made by hand. Where
// the second line is missing the store may have done it or not.
class declarer {
public:
    declarer(errand::app& app, const errand::test::task_journal& book, unsigned seed,
             std::function<int()> next_number)
        : app_{app}, book_{book}, random_{seed}, next_number_{std::move(next_number)} {}

    void run(const std::function<bool()>& is_over);

private:
    void declare(const recurring_kind& of);
    void rest(const recurring_kind& of, const std::function<bool()>& is_over);
    void resume(const recurring_kind& of);
    void run_by_hand(const recurring_kind& of);

    errand::app& app_;
    const errand::test::task_journal& book_;
    std::minstd_rand random_;
    const std::function<int()> next_number_;
    std::map<std::string_view, errand::schedule> known_;  // that this process has declared
};

}  // namespace trial
