// At which step of a task's life a worker dies: drawn for it by the trial when it is started.
#pragma once

#include <string_view>

namespace trial {

enum class step {
    none,
    claimed,   // it has taken tasks, and begun none of them
    amid,      // a handler is half through
    handled,   // a handler has ended, the report has not left
    reported,  // the store has taken the report, the worker has not heard so
    writing,   // a write to the store's file is half done
};

step step_named(std::string_view name);
std::string_view name_of(step which);

// This process is to die when it comes to this step for the n-th time. `reported` is the trial's to carry out where a gate
// stands before the store.
void draw(step which, int times);
// Comes to this step.
void meet(step here);
// Whether it is the n-th time at this step, which is then over.
bool is_due(step here);

}  // namespace trial
