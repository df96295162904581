// The audit of a namespace: what stands in several places agrees in all of them. Indexes are SQLite's own affair; what is
// looked at is what errand keeps twice: states and claims, counters, edges and who tells of them.
#pragma once

#include "core/digits.hpp"
#include "store/sqlite/aside_tasks.hpp"
#include "store/sqlite/edges.hpp"
#include "store/sqlite/queues.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace errand::sqlite {

struct seen_task;

inline void add_finding(audit_step& to, std::string kind, std::string_view subject, std::string words,
                        bool repaired) {
    to.findings.push_back({std::move(kind), std::string{subject}, std::move(words), repaired});
}

// Pages of one row each: the row behind `after`, which becomes its key; null, and `after` empty: there are no more.
template <class Row>
Row* next_row(const std::map<std::int64_t, Row*>& all, std::string& after) {
    const auto next = all.upper_bound(number_in(after));
    const bool ended = next == all.end();
    after = ended ? std::string{} : std::to_string(next->first);
    return ended ? nullptr : next->second;
}

class audit {
public:
    audit(transaction& of, task_rows& rows, queues& queues, edges& edges, aside_tasks& aside, gates& gates,
          sqlite::groups& groups)
        : tx_{of},
          sql_{of.sql},
          rows_{rows},
          queues_{queues},
          edges_{edges},
          aside_{aside},
          gates_{gates},
          groups_{groups} {}

    // Pages, each at one moment. `after`: the cursor, empty to begin; it is empty again at the end.
    audit_step tasks(std::string& after, bool mend);
    audit_step claims(std::string& after, bool mend);
    audit_step waiting(std::string& after, bool mend);
    audit_step stages(std::string& after, bool mend);
    audit_step links(std::string& after, bool mend);
    audit_step counters(std::string& after, bool mend);
    // ---- audit_gates.cpp ----
    audit_step slots(std::string& after, bool mend);
    audit_step groups(std::string& after, bool mend);

private:
    void look_at_groups(queue_row& queue, list_row& in, audit_step& out, bool mend);
    void look_at_stops(queue_row& queue, audit_step& out, bool mend);
    void look_at_needs(const task_id& id, audit_step& out, bool mend);
    std::int64_t count_working(const list_row& list);
    // It stands in a list that is not there; whoever reads its row then throws.
    bool is_unlisted(const task_id& id);

    // ---- repair.cpp ----
    void repair(const seen_task& one);
    void place_anew(const task_id& id, list_row* from, bool unheld);
    std::pair<list_row*, std::optional<std::int64_t>> rightful_place(const task_id& id, bool unheld);
    void wait_anew(const task_id& id);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    edges& edges_;
    aside_tasks& aside_;
    gates& gates_;
    sqlite::groups& groups_;
};

}  // namespace errand::sqlite
