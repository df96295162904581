// What the seam answers to those who look after tasks: counts, ordered lists, workers, what happened so far. Data only.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/state.hpp>
#include <errand/time.hpp>

#include "core/task_id.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace errand {

struct found_task;  // store.hpp

struct queue_state {
    std::string queue;
    std::size_t ready = 0;
    std::size_t delayed = 0;
    std::size_t retry = 0;
    std::size_t waiting = 0;
    std::size_t success = 0;  // kept, give or take what was started anew since
    std::size_t dead = 0;
    std::size_t cancelled = 0;
    std::size_t expired = 0;
    std::size_t idle_workers = 0;
    std::optional<time_point> paused_since;
    std::optional<time_point> next_submitted_at;  // of the task that will be claimed next
};

struct overview_answer {
    std::vector<queue_state> queues;  // by name
    std::size_t working = 0;          // in all queues
    time_point now{};
};

// How often what happened, since the namespace was made.
struct queue_totals {
    std::int64_t success = 0;
    std::int64_t dead = 0;
    std::int64_t cancelled = 0;
    std::int64_t expired = 0;
    std::int64_t failed = 0;  // attempts that are tried again
};
using totals = std::map<std::string, queue_totals>;  // by queue

// So far back one looks for how they stood a while ago.
constexpr std::int64_t minutes_back = 5;

struct totals_answer {
    totals so_far;
    // As they stood in that minute since 1970: the first one that is known of the last `minutes_back`, maybe others.
    std::map<std::int64_t, totals> at_minute;
    // As they stood at the end of that day since 1970: those that were asked for, and the last one before them.
    std::map<std::int64_t, totals> at_day;
    time_point now{};
};

struct worker_card {
    std::string name;
    std::string card;  // as beat() was given it
    time_point alive_until{};
};

// An ordered list of the tasks in one state; some states have several in a queue.
struct task_list {
    std::string queue;
    std::string name;  // what the store calls it
};

// A place in a list of which no cursor is known: before what has this order, or behind it.
struct list_place {
    time_point order{};
    bool behind = false;
};

struct list_call {
    task_list of;
    state where = state::ready;
    bool newest_first = true;
    std::string after;  // the cursor of the last one seen; empty: from the beginning
    std::size_t limit = 100;
    // Where it begins instead, while there is no cursor. Not of ready and working tasks.
    std::optional<list_place> from{};
};

struct list_item;

struct list_answer {
    std::vector<list_item> items;
    std::string last;   // the cursor of the last one looked at: some may be gone
    bool more = false;  // there may be more behind that
};

struct edit_call {
    task_id id;
    std::string seen;  // the encoded body that the change was made from
    std::string body;
    std::optional<time_point> due_at;      // in the past: at once; nullopt: as it is
    std::optional<time_point> expires_at;  // nullopt: as it is
    bool unstarted_only = false;
    // Written in the same step, if they are still those that were seen; nullopt: they stay as they are.
    std::optional<std::string> notes{};
    std::string seen_notes{};  // empty: there were none
};

enum class edit_verdict {
    done,
    changed,    // the body is another one by now, or the notes are
    unchanged,  // the task runs, has ended, or has started
    unknown,
};

// Something that contradicts the state table.
struct audit_finding {
    std::string kind;     // "no_lease", "lost", …
    std::string subject;  // 16 bytes of an id, or the name of what it is about
    std::string words;
    bool repaired = false;
};

struct audit_step {
    std::vector<audit_finding> findings;
    std::size_t looked_at = 0;  // tasks and entries
    bool more = true;           // there are further steps
};

class auditor {
public:
    virtual ~auditor() = default;
    virtual awaitable<audit_step> next() = 0;
};

enum class remove_verdict { removed, working, unknown };

}  // namespace errand
