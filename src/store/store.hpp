// The one seam between errand and what keeps its tasks: tasks (task_store.hpp), what they wait for (dependency_store.hpp), what those
// see who look after them (inspection_store.hpp), and one interface for each other subject.
//
// Every call is one transition of the state table, atomic, and takes a batch: it answers per item, and one bad item
// never fails its neighbours. A call returns once the store has answered; a store repeats by itself what an abort left
// ambiguous (each changing call carries its lane's number, so that a repeat changes nothing), and throws store_error
// only when its patience is used up. All times are the store's own.
//
// A store object belongs to one thread: all calls are made on the executor it was opened with.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "store/collect_store.hpp"
#include "store/dependency_store.hpp"
#include "store/figures_store.hpp"
#include "store/inspection_store.hpp"
#include "store/limit_store.hpp"
#include "store/quota_store.hpp"
#include "store/schedule_store.hpp"
#include "store/settings_store.hpp"
#include "store/shelf_store.hpp"
#include "store/store_calls.hpp"
#include "store/task_store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// What comes without being asked for. Called on the store's executor; must not throw and must not wait.
class store_listener {
public:
    virtual ~store_listener() = default;
    // There may be work, or the connection was new-made and something may have been missed: claim now.
    virtual void woken() {}
    // A task was submitted and handed to this worker, which had claimed fewer than it asked for and said that it takes such:
    // it is under a claim, and the worker does not wait in its queue any more.
    virtual void task_given(claimed_task) {}
    // Tasks may stand aside whose handlers this worker knows: adopt() takes them.
    virtual void stands_aside() {}
    // Somebody should take the news: tasks that others depend on have ended.
    virtual void news_came() {}
    // A schedule is to be looked at earlier than was said.
    virtual void schedules_changed() {}
    // What is set of handlers is another, or may be.
    virtual void settings_changed() {}
    // A task this worker runs was cancelled from outside.
    virtual void task_cancelled(const task_id&) {}
    // A task of this worker that stood in line at its gates may run, or may soon: yield_gates() says.
    virtual void may_go_on(const task_id&) {}
    // A watched task ended. An empty outcome is too large to be told: watch() again gives it.
    virtual void task_ended(const ended_task&) {}
    // What became of a report that was answered `later`.
    virtual void report_answered(const task_id&, claim_number, report_verdict) {}
    // The connection was lost and is back: watches have to be made again.
    virtual void reconnected() {}
};

class store : public task_store,
              public dependency_store,
              public inspection_store,
              public schedule_store,
              public limit_store,
              public settings_store,
              public collect_store,
              public quota_store,
              public figures_store,
              public shelf_store {
public:
    virtual ~store() = default;

    // Connects and checks version, settings and format; throws store_error saying what to do.
    virtual awaitable<void> open() = 0;
    // Ends the connection; calls in flight end with store_error. Safe to call twice.
    virtual void close() = 0;
    virtual void listen(store_listener* to) = 0;
    // Unique in the namespace: the worker under which this object claims, and the channel on which it is woken.
    virtual const std::string& name() const = 0;

    // Where the store's clock stands now, as measured by the last answer. No round trip.
    virtual time_point now() const = 0;

    // What tells the claims of this process from others of the same number: eight hexadecimal digits. Empty: no two have the
    // same.
    virtual std::string_view claim_mark() const { return {}; }
    // From here on this number is that of the claim that the process of this mark has made. To be said again before each
    // call about it: only so many are remembered.
    virtual void know_claim(claim_number, std::string_view /*mark*/) {}

    // Into how many shards the namespace is divided. A call is one step in each shard that it concerns.
    virtual std::size_t shards() const { return 1; }
    virtual std::size_t shard_of(const task_id&) const { return 0; }

    // A batch over several shards has been waiting for this one's answer for longer than is usual.
    virtual bool is_late(std::size_t) const { return false; }
};

}  // namespace errand
