// One of everything that can happen to tasks, how each must end, and a way to cut the work short at any step.
#pragma once

#include "support/task_journal.hpp"
#include "worker/handlers.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cut_test {

using errand::state;

// What a task does, by its name: see act::perform.
struct act {
    errand::app& app;
    errand::proxy<act> more;
    act(errand::app& a, errand::proxy<act> p) : app{a}, more{p} {}
    errand::awaitable<int> perform(std::string what);
};

// Where all of them write down what they have done, also those in a process that is gone: lines `what id …`.
inline std::unique_ptr<errand::test::task_journal> book;
// How often each id stands in it with this word.
std::map<std::string, int> counted(const std::string& what);

struct expected {
    std::string name;  // and biz_id
    state ends = state::success;
    int runs = 1;               // of its handler, when nothing is cut
    bool may_be_fewer = false;  // an attempt that was cut short may stand for one of those that follow
};

// All tasks but the one that `stages` submits without a biz_id.
const std::vector<expected>& all_expected();
void submit_all(errand::app& app);
std::string id_of(errand::app& app, const std::string& name);

enum class place { before_the_handler, after_the_handler };

// Cuts at the n-th handler: from then on none gets any further.
class scissors {
public:
    scissors(place where, int at, bool kills) : where_{where}, at_{at}, kills_{kills} {}

    // To be called before the worker of this app starts; must outlive it.
    void attach(errand::app& app);
    bool reached() const noexcept { return reached_; }

private:
    errand::awaitable<void> pass();
    errand::awaitable<void> around(errand::task_context& self, errand::next_step next);

    place where_;
    int at_;
    bool kills_;
    std::atomic<int> passed_{0};
    std::atomic<bool> reached_{false};
};

}  // namespace cut_test

ERRAND_DECLARE_HANDLER(cut_test::act, .name = "act", .queue = "cut",
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))
