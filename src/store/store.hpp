// The one seam between errand and what keeps its tasks.
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
#include "store/figures_store.hpp"
#include "store/inspection.hpp"
#include "store/limit_store.hpp"
#include "store/quota_store.hpp"
#include "store/schedule_store.hpp"
#include "store/settings_store.hpp"
#include "store/store_calls.hpp"
#include "store/submission.hpp"

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

class store : public schedule_store,
              public limit_store,
              public settings_store,
              public collect_store,
              public quota_store,
              public figures_store {
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

    // Lanes 0 .. submit_lanes-1, and from there on as many as batches over several shards need; one call in flight per lane
    // and shard.
    static constexpr std::size_t submit_lanes = 2;
    static constexpr std::size_t lane_of_several_shards = submit_lanes;
    virtual awaitable<std::vector<submit_answer>> submit(std::size_t lane,
                                                         std::span<const submission_item> items,
                                                         submit_mode mode) = 0;
    // What one call carries, give or take one item: on a line of 1 Mbit/s it is sent in four seconds, which is well under a
    // lease and store_timeout.
    static constexpr std::size_t most_bytes_per_call = std::size_t{512} * 1000;
    // These do not come again. What nobody says that of is remembered for so long.
    static constexpr duration remembers_for = std::chrono::days{200};
    virtual awaitable<void> forget(std::span<const delivered_task> tasks) = 0;
    static constexpr std::size_t work_lanes = 2;
    virtual awaitable<work_answer> work(const work_call& call) = 0;
    // It has no free slot, although a claim of it found too little: what it may be woken for falls to others.
    virtual awaitable<void> busy(std::span<const std::string> queues) = 0;
    // Takes tasks that stand aside under a new claim. One call in flight. Whoever found fewer than it asked for hears
    // stands_aside() when there are some again, as far as the store knows which handlers it knows: beat() has told it.
    virtual awaitable<adopt_answer> adopt(const adopt_call& call) = 0;
    virtual awaitable<extend_answer> extend(const extend_call& call) = 0;
    // One call in flight. Each wish may be repeated. So many in one call.
    static constexpr std::size_t yields_per_call = 500;
    virtual awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) = 0;
    // Replaces the notes of a task this worker runs; lease_lost when it is no longer its own.
    virtual awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) = 0;
    // Keeps an encoded stage_record with a task this worker runs, behind those of the same life; a second one of its name
    // changes nothing. lease_lost when the task is no longer its own.
    virtual awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                            std::string record) = 0;
    // What is kept of the stages of a task this worker runs.
    virtual awaitable<stages_answer> stages(const task_id& id, claim_number claim) = 0;
    // Makes what is due ready, ends what has expired (with this encoded outcome), wakes an idle worker of every queue
    // that has ready tasks.
    virtual awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                              std::string_view expired_outcome) = 0;
    // Takes over about `limit` tasks whose lease has run out, under a new claim of this worker.
    virtual awaitable<recover_answer> recover(std::size_t limit, duration lease) = 0;
    // Deletes up to `limit` ended tasks whose retention is over; how many went or came nearer to it, 0: none is left.
    virtual awaitable<std::size_t> clean(std::size_t limit) = 0;
    // Deletes up to `limit` of the oldest ended tasks of queues that keep more than `most`; returns as clean() does.
    virtual awaitable<std::size_t> trim(std::size_t most, std::size_t limit) = 0;
    // Ends a task that has not ended, also a working one (its worker is told), with this encoded outcome. A life of 0
    // means whichever is there.
    virtual awaitable<cancel_answer> cancel(const task_id& id, incarnation life,
                                            std::string_view outcome) = 0;
    virtual awaitable<std::optional<found_task>> find(const task_id& id) = 0;
    // From now on the listener hears of the end of these tasks.
    virtual awaitable<watch_answer> watch(std::span<const watched_task> tasks) = 0;

    // ---- dependencies ----
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
    // A task that ended otherwise than by success starts again with these notes: it stands aside where they tell of workers
    // that do not know its handler. `other_body`: in the place of its own; empty: as it was. False: it has not ended so.
    virtual awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                                   std::string_view encoded_notes, std::string_view other_body = {}) = 0;

    // ---- inspection and repair ----
    virtual awaitable<overview_answer> overview() = 0;
    // At least what says something of today and so many days before; 0 days: only of now and of the last minutes.
    virtual awaitable<totals_answer> happened(int days) = 0;
    virtual awaitable<std::vector<worker_card>> workers() = 0;
    // The shards that do not answer: what looks tells nothing of what these keep.
    virtual awaitable<std::vector<std::size_t>> away() { co_return std::vector<std::size_t>{}; }
    // The lists of tasks in this state; of all queues when the name is empty.
    virtual awaitable<std::vector<task_list>> lists(state where, std::string_view queue) = 0;
    virtual awaitable<list_answer> list(const list_call& call) = 0;
    // Where the first task of each of these stands: its order; nullopt: there is none. It may be gone when it is listed. All in
    // the same direction and without a cursor; not of what workers run.
    virtual awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) = 0;
    // No task of the queue is claimed from now on; what runs goes on. False: it was so already.
    virtual awaitable<bool> pause(std::string_view queue) = 0;
    virtual awaitable<bool> resume(std::string_view queue) = 0;
    virtual awaitable<edit_verdict> edit(const edit_call& call) = 0;
    // Deletes a task that no worker runs; with this outcome ends one that has not ended.
    virtual awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) = 0;

    // Looks whether all that is kept agrees with itself, step by step, while work goes on. Must not outlive the store.
    virtual std::unique_ptr<auditor> audit(bool repair) = 0;

    // Shows that this worker, which serves these queues, is alive: `card` is JSON text (host, pid, queues, handlers, …),
    // kept for `ttl`. Of the workers that serve a queue one is told every `looks_every` to look after it.
    static constexpr duration looks_every{4'000};
    virtual awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                        std::span<const std::string> queues) = 0;
    // This worker claims no more: out of the idle sets, its card forgotten.
    virtual awaitable<void> leave(std::span<const std::string> queues) = 0;
};

}  // namespace errand
