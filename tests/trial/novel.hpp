// What a new program has and the one before it has not: two generations of workers run side by side while it is rolled out.
#pragma once

#include "trial/chores.hpp"

#include <mutex>
#include <set>
#include <string>

namespace errand {
struct event;
}

namespace trial {

// So many attempts fail, so that it comes back to be claimed again.
struct novel : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number, int failures);
};

// A program runs it from here on; before its first app.
void take_novel_handler();

// Writes down which tasks a worker has claimed without knowing their handler (`strange ID`), and of which the store has heard so
// (`aside ID`). From any thread.
class strange_tasks {
public:
    explicit strange_tasks(const errand::test::task_journal& book) : book_{book} {}
    void hear(const errand::event& what);

private:
    const errand::test::task_journal& book_;
    std::mutex guard_;
    std::multiset<std::string> untold_;
};

}  // namespace trial

ERRAND_DECLARE_HANDLER(trial::novel, .max_retry = 1000,
                       .backoff = errand::backoff::uniform(trial::short_pause))
