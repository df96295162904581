// What tasks wait for, each half of an edge in the shard of its own task.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "store/store_calls.hpp"
#include "store/submission.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace errand {

class dependency_store {
public:
    static constexpr std::size_t parents_per_call = 100;
    static constexpr std::size_t heirs_per_call = 50;
    // More parents of a task that is being registered: some that is gone, if any. False: it is not any more.
    struct enrol_answer {
        bool mine = true;
        std::optional<task_id> gone{};
    };
    virtual awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                          std::span<const parent_task> parents) = 0;
    // Registers a task with parents that may be in another shard, as tie and enrol do with those of its own. May be
    // repeated. How each stands.
    virtual awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                                    std::span<const task_id> parents) = 0;
    // Its submission is complete; `walked`: it was found that no cycle goes through it.
    virtual awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) = 0;
    // Takes back a submission that is not complete; a life of 0: any.
    virtual awaitable<void> withdraw(const task_id& id, incarnation life) = 0;
    // A page of edges for each task, in order; fewer pages than tasks when they would be too many.
    // `of_waiting`: a task that does not wait itself has none.
    virtual awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                                     bool of_waiting) = 0;
    // Takes news for so long; whoever finds none hears news_came().
    virtual awaitable<news_answer> take_news(std::size_t limit, duration lease) = 0;
    // Tells tasks what became of those they wait for. Returns, for each resolution, who is to hear of that parent again.
    virtual awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                                 std::string_view gathered) = 0;
    virtual awaitable<void> delivered(std::span<const delivery> all) = 0;

protected:
    ~dependency_store() = default;
};

}  // namespace errand
