// The limit that handlers of the trial share, and that is set at run time.
#pragma once

#include <errand/app.hpp>
#include <errand/limit.hpp>

#include "support/task_journal.hpp"
#include "trial/limit_kinds.hpp"

namespace trial {

inline const errand::limit shared_limit{
    shared_name, {.max_running = most_of_shared, .rate = errand::per_second(starts_of_shared)}};

// Lines: `sets shared NUMBER MOST` before and `set shared NUMBER MOST` after. Throws what set_limit and clear_limit throw; then the
// store may have done it or not.
void set_shared_limit(errand::app& app, const errand::test::task_journal& book, int number, int most);
// The declared one is in force again.
void clear_shared_limit(errand::app& app, const errand::test::task_journal& book, int number);

}  // namespace trial
