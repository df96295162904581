// Tasks that depend on others: registration, news, delivery, and what follows from how their parents stand.
#pragma once

#include "store/sqlite/aside_tasks.hpp"
#include "store/sqlite/bundles.hpp"
#include "store/sqlite/endings.hpp"
#include "store/sqlite/queues.hpp"

#include <span>

namespace errand::sqlite {

// A task whose submission is not complete is given up after so long without a sign of its submitter, ms.
inline constexpr std::int64_t registration_patience = 15'000;

class dependencies {
public:
    dependencies(transaction& of, task_rows& rows, queues& queues, edges& edges, endings& endings,
                 aside_tasks& aside, bundles& bundles)
        : tx_{of},
          sql_{of.sql},
          rows_{rows},
          queues_{queues},
          edges_{edges},
          endings_{endings},
          aside_{aside},
          bundles_{bundles} {}

    store::enrol_answer enrol(const task_id& id, incarnation life, std::span<const parent_task> parents);
    std::vector<standing> depend(const task_id& child, depend_mode mode, std::span<const task_id> parents);
    confirm_verdict confirm(const task_id& id, incarnation life, bool walked);
    // In steps; false: edges are left, and it is to be called again.
    bool withdraw(const task_id& id, incarnation life);
    std::vector<links_page> links(link kind, std::span<const links_from> from, bool of_waiting);
    news_answer take_news(std::size_t limit, duration lease);
    std::vector<std::vector<task_id>> resolve(std::span<const resolution> all, std::string_view gathered);
    void delivered(std::span<const delivery> all);
    bool revive(const task_id& id, incarnation life, time_point finished_at, std::string_view notes,
                std::string_view other_body);

private:
    bool is_told(const task_id& parent);
    standing begin_with(const task_id& child, const task_id& parent);
    // What is being told was begun without this task: it is told again, and who is at it strikes nothing off.
    bool tell_again(const task_id& parent);
    std::pair<list_row*, std::int64_t> place_of_revived(const task_id& id, const task_row& row,
                                                        std::string_view notes);
    standing stand(const task_id& child, depend_mode mode, const task_id& parent);

    // ---- what follows for a task (resolve.cpp) ----
    bool tell(const task_id& id, const task_id& parent, tidings what, const waiting_row& record);
    void carry_out(const task_id& id, const waiting_row& record, std::string_view outcome,
                   std::string_view gathered);
    void release(const task_id& id, const waiting_row& record);
    void forsake(const task_id& id, waiting_row record, std::string_view outcome);
    void take_up(const task_id& id, waiting_row record);
    void gather(const task_id& id, std::string_view outcome);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    edges& edges_;
    endings& endings_;
    aside_tasks& aside_;
    bundles& bundles_;
};

}  // namespace errand::sqlite
