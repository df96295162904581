// Edges between tasks, what waits, and the news that edges carry.
#pragma once

#include "store/sqlite/task_rows.hpp"

#include <span>
#include <unordered_set>

namespace errand::sqlite {

struct waiting_row {
    waiting_phase phase = waiting_phase::waits;
    on_failed rule = on_failed::cancel;
    std::int64_t due = 0;
};

// How the parents stand that a submission names.
struct weighed_parents {
    std::vector<task_id> unmet{};
    std::vector<task_id> failed{};
    std::vector<task_id> met{};
    std::optional<task_id> gone{};  // the first that was accepted and is no longer kept
};

struct edge {
    link kind = link::needs;
    task_id of;
    task_id other;

    std::string cursor() const;
};

class edges {
public:
    edges(transaction& of, task_rows& rows) : tx_{of}, sql_{of.sql}, rows_{rows} {}

    bool any();
    bool any_of(link kind, const task_id& of);
    std::vector<task_id> page(link kind, const task_id& of, std::size_t limit,
                              const std::optional<task_id>& after = {});
    std::size_t count(link kind, const task_id& of);
    bool has(link kind, const task_id& of, const task_id& other);
    void add(link kind, const task_id& of, const task_id& other);
    bool drop(link kind, const task_id& of, const task_id& other);
    // Adds or drops it, where that is a change.
    void change(link kind, const task_id& of, const task_id& other, bool before, bool after);

    std::optional<waiting_row> waiting_of(const task_id& id);
    void keep_waiting(const task_id& id, const waiting_row& row);
    // The record alone.
    void forget_record(const task_id& id);
    // With its place in a bundle, if it waits in one.
    void leave_waiting(const task_id& id);
    // Of an item that waits in a bundle.
    std::optional<task_id> carrier_of(const task_id& id);
    // Of a task that waits: it is an item, and its bundle has been run, or is now.
    bool bundle_started(const task_id& id);
    // With all that a task of this id waited for.
    void forget_waiting(const task_id& id);
    // Of what it waits for as much as one call forgets; false when some may be left.
    bool forget_some(const task_id& id);
    // It waits for more than that.
    bool is_tangled(const task_id& id);
    // The edges of a task that is about to be deleted, in steps; false while some are left. What waits for a later task of
    // this id stays.
    bool untie(const task_id& id);

    // Reads only. Those in `written` are about to begin a new life.
    weighed_parents weigh(on_failed rule, std::span<const parent_task> parents,
                          const std::unordered_set<task_id>& written);
    void tie(const task_id& id, const weighed_parents& of);

    // ---- news ----
    void announce(const task_id& id, tidings what, std::int64_t at);
    void announce(const task_id& id, tidings what) { announce(id, what, tx_.now()); }
    // To the schedule whose run it is.
    void announce_run(const task_id& id, const task_id& schedule);
    bool any_news(const task_id& id, tidings what);
    void drop_news(const task_id& id, tidings what);
    // Of a task that has ended: it is a carrier, whose items have yet to hear what its outcome says of each.
    bool is_untold(const task_id& id, state end);
    // What has been overtaken needs no telling.
    bool still_true(const task_id& id, tidings what);

    // ---- all of them ----
    // Behind a cursor, which is empty to begin.
    std::vector<edge> page_after(std::string_view cursor, std::size_t limit);
    // Whether the task on which it hangs is not there. What waits for a later task of that id stays.
    bool is_stray(const edge& one);
    void drop_stray(const edge& one);
    // Drops the stray ones of a page; the next call goes on behind it.
    void sweep();

private:
    void announce(const task_id& id, tidings what, std::int64_t at, std::optional<std::string_view> schedule);
    bool forget_parents(const task_id& id, std::size_t limit);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    std::string swept_;  // the last one that a pass over all of them looked at
};

}  // namespace errand::sqlite
