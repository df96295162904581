// The passes that keep a namespace in order: what is due, what is late, what is no longer kept; and signs of life.
#pragma once

#include "store/sqlite/aside_tasks.hpp"
#include "store/sqlite/endings.hpp"
#include "store/sqlite/queues.hpp"

#include <span>

namespace errand::sqlite {

class maintenance {
public:
    maintenance(transaction& of, task_rows& rows, queues& queues, edges& edges, endings& endings,
                aside_tasks& aside, gates& gates, groups& groups)
        : tx_{of},
          sql_{of.sql},
          rows_{rows},
          queues_{queues},
          edges_{edges},
          endings_{endings},
          aside_{aside},
          gates_{gates},
          groups_{groups} {}

    promote_answer promote(std::span<const std::string> queues, std::size_t limit, std::string_view expired);
    std::size_t clean(std::size_t limit);
    std::size_t trim(std::size_t most, std::size_t limit);
    beat_answer beat(std::string_view card, duration ttl, std::span<const std::string> queues);

private:
    std::size_t promote_queue(queue_row& queue, std::size_t limit);
    // Ends tasks that were not started in time. What has started has its time behind it.
    std::size_t expire(std::size_t limit, std::string_view outcome, bool& more);
    std::size_t clean_list(list_row& list, std::size_t limit);
    // The oldest of a kind, whichever list they stand in.
    std::size_t trim_kind(queue_row& queue, list_kind kind, std::size_t count);
    // What happened so far as it stands, once a minute for an hour and as the last of each day.
    void keep_tally();
    bool forget_quiet_queues();

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    edges& edges_;
    endings& endings_;
    aside_tasks& aside_;
    gates& gates_;
    groups& groups_;
};

}  // namespace errand::sqlite
