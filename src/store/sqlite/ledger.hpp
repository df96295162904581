// All transitions on one database. Each call is one of them, made between begin() and commit(); what it changes beside the
// database is counters, which commit() writes, and notices, which are sent when the commit has succeeded.
//
// Belongs to its engine's thread.
#pragma once

#include "store/sqlite/idle_workers.hpp"
#include "store/sqlite/namespace_cache.hpp"

#include <functional>
#include <span>
#include <unordered_set>

namespace errand::sqlite {

// Microseconds since 1970.
using clock_function = std::function<std::int64_t()>;

// The row of a task.
struct task_row {
    list_row* list = nullptr;
    std::optional<std::int64_t> place{};
    std::optional<claim_number> claim{};
    std::int64_t body = 0;  // of a large body: where it is
    std::string small{};    // else the body
    incarnation life = 0;
    int priority = 0;
    std::optional<std::int64_t> expires{};
    std::string notes{};
    std::string outcome{};

    bool ended() const { return is_ended(list->kind); }
    state where() const { return list->kind == remnants ? state::success : static_cast<state>(list->kind); }
    std::int64_t finished_at() const;  // of one that has ended
};

// A larger body stands apart from its task.
inline constexpr std::size_t most_small = 400;

struct waiting_row {
    char phase = 'w';
    char rule = 'c';
    std::int64_t due = 0;
};

// The count of ends in this state.
std::int64_t queue_totals::* total_of(state where);

class ledger {
public:
    // `engine` is this process in the file. `inside`: of a transaction that somebody else has begun, commits and rolls back.
    ledger(connection& in, idle_workers& of, clock_function clock, std::int64_t engine, bool inside = false);

    void begin(bool reading);
    // Inside of a user's transaction: throws when that is no more.
    void must_be_open() const;
    void commit();
    void abandon();  // rolls back
    std::vector<notice> take_notices() { return std::exchange(notices_, {}); }
    // Whose call the next one is. One that was never here gets its namespace.
    void enter(caller& by);
    // What the call has made ready wakes those who wait for it.
    void leave_call();

    // Whether another process has written since the last call.
    bool overtaken();
    // Looks for what others of this process wait for. Outside of a call; true: there is mail to be fetched.
    bool look_around();
    void fetch_mail();

    std::vector<submit_answer> submit(std::span<const submission_item> items, submit_mode mode);
    void forget(std::span<const delivered_task> tasks);
    work_answer work(const work_call& call);
    void busy(std::span<const std::string> queues);
    adopt_answer adopt(const adopt_call& call);
    extend_answer extend(const extend_call& call);
    report_verdict note(const task_id& id, claim_number claim, std::string_view notes);
    report_verdict stage(const task_id& id, claim_number claim, incarnation life, std::string_view record);
    stages_answer stages(const task_id& id, claim_number claim);
    promote_answer promote(std::span<const std::string> queues, std::size_t limit, std::string_view expired);
    recover_answer recover(std::size_t limit, duration lease);
    std::size_t clean(std::size_t limit);
    std::size_t trim(std::size_t most, std::size_t limit);
    cancel_answer cancel(const task_id& id, incarnation life, std::string_view outcome);
    std::optional<found_task> find(const task_id& id);
    watch_answer watch(std::span<const watched_task> tasks);

    store::enrol_answer enrol(const task_id& id, incarnation life, std::span<const parent_task> parents);
    std::vector<standing> depend(const task_id& child, depend_mode mode, std::span<const task_id> parents);
    confirm_verdict confirm(const task_id& id, incarnation life, bool walked);
    void withdraw(const task_id& id, incarnation life);
    std::vector<links_page> links(link kind, std::span<const links_from> from, bool of_waiting);
    news_answer take_news(std::size_t limit, duration lease);
    std::vector<std::vector<task_id>> resolve(std::span<const resolution> all, std::string_view gathered);
    void delivered(std::span<const delivery> all);
    bool revive(const task_id& id, incarnation life, time_point finished_at, std::string_view notes);

    overview_answer overview();
    totals_answer happened();
    std::vector<worker_card> workers();
    std::vector<task_list> lists(state where, std::string_view queue);
    list_answer list(const list_call& call);
    bool pause(std::string_view queue);
    bool resume(std::string_view queue);
    edit_verdict edit(const edit_call& call);
    remove_verdict remove(const task_id& id, std::string_view outcome);
    beat_answer beat(std::string_view card, duration ttl, std::span<const std::string> queues);
    void leave(std::span<const std::string> queues);

    // Pages of an audit, each at one moment. `after`: the cursor, empty to begin; it is empty again at the end.
    audit_step audit_tasks(std::string& after, bool repair);
    audit_step audit_claims(std::string& after, bool repair);
    audit_step audit_waiting(std::string& after, bool repair);
    audit_step audit_stages(std::string& after, bool repair);
    audit_step audit_links(std::string& after, bool repair);
    audit_step audit_counters(std::string& after, bool repair);

    // Whether somebody of this process has asked lately to hear of the end of a task.
    bool watches() const;

private:
    std::int64_t ns() const { return cache_->key(); }
    time_point now() const { return time_point{duration{now_}}; }

    void forget_all();
    void check_format();

    // ---- tasks (tasks.cpp) ----
    std::optional<task_row> row_of(const task_id& id);
    std::string body_of(const task_row& row);
    void change_body(const task_id& id, const task_row& row, std::string_view bytes);
    void drop_body(const task_row& row);
    void change_list(task_row& row, list_row& to);
    void move(const task_id& id, task_row& row, list_row& to, std::int64_t place);
    void drop(const task_id& id, const task_row& row);
    void drop_stages(const task_id& id);
    void keep_remnant(const task_id& id, task_row& row, std::int64_t until);
    bool tell(const task_id& id, incarnation life, std::int64_t finished, std::string_view outcome);
    void bury(const task_id& id, task_row& row, std::string_view outcome);
    void end_without_trace(const task_id& id, task_row& row, std::int64_t finished, std::string_view outcome,
                           bool heard);

    // ---- queues (queues.cpp) ----
    void open_namespace(std::int64_t ns);
    void wake(std::string_view queue, std::size_t most);
    void wake_freed();
    bool is_alive(std::string_view worker);
    std::optional<std::int64_t> earliest(queue_row& queue);
    std::optional<time_point> next_look(std::span<const std::string> queues);
    bool any_ready(queue_row* queue);
    bool falls_before(queue_row& queue, std::int64_t due);
    // At once or at a time: the list and the place of a task that becomes free to run; wakes whom that concerns.
    std::pair<list_row*, std::int64_t> free_place(queue_row& queue, int priority,
                                                  std::optional<std::int64_t> due);

    // ---- edges (edges.cpp) ----
    bool any_edges();
    bool any_link(char kind, const task_id& of);
    std::vector<task_id> links_of(char kind, const task_id& of, std::size_t limit,
                                  const std::optional<task_id>& after = {});
    std::size_t count_links(char kind, const task_id& of);
    bool has_link(char kind, const task_id& of, const task_id& other);
    void add_link(char kind, const task_id& of, const task_id& other);
    bool drop_link(char kind, const task_id& of, const task_id& other);
    std::optional<waiting_row> waiting_of(const task_id& id);
    void keep_waiting(const task_id& id, const waiting_row& row);
    void forget_waiting(const task_id& id);
    bool forget_parents(const task_id& id, std::size_t limit);
    bool untie(const task_id& id);
    void announce(const task_id& id, tidings what, std::int64_t at);
    void announce(const task_id& id, tidings what) { announce(id, what, now_); }
    bool any_news(const task_id& id, tidings what);
    bool tell_again(const task_id& parent);
    standing stand(const task_id& child, depend_mode mode, const task_id& parent);
    void drop_news(const task_id& id, tidings what);
    bool still_true(const task_id& id, tidings what);

    // ---- submit (submit.cpp, together.cpp) ----
    struct draft;
    // How the parents stand that a submission names.
    struct weight {
        std::vector<task_id> unmet{};
        std::vector<task_id> failed{};
        std::vector<task_id> met{};
        std::optional<task_id> gone{};  // the first that was accepted and is no longer kept
    };
    submit_answer submit_alone(const submission_item& item);
    submit_answer decide_alone(const submission_item& item);
    bool recalls(const submission_item& item);
    void remember(const submission_item& item, submit_verdict how);
    std::vector<submit_answer> submit_together(std::span<const submission_item> items, submit_mode mode);
    submit_verdict judge(const task_id& id, const task_row& held, on_conflict conflict);
    bool started(const task_row& row) const;
    bool insert(const submission_item& item, list_row& to, std::int64_t at);
    std::pair<list_row*, std::int64_t> target_of(const submission_item& item);
    std::optional<std::int64_t> due_of(const submission_item& item) const;
    std::optional<std::int64_t> expiry_of(const submission_item& item) const;
    void write_over(const submission_item& item, task_row& held, submit_verdict how, list_row* to,
                    std::int64_t at);
    static submit_answer answer_of(draft& one, bool withheld);
    weight weigh(on_failed rule, std::span<const parent_task> parents,
                 const std::unordered_set<task_id>& written);
    void tie(const task_id& id, const weight& of);
    bool weigh_all(std::vector<draft>& all);
    std::optional<std::vector<task_id>> find_cycle(
        const task_id& id, const std::unordered_map<task_id, std::vector<task_id>>& batch,
        std::size_t& budget, bool& gave_up);
    void write(draft& one);
    std::pair<list_row*, std::int64_t> enlist(draft& one);

    // ---- work (work.cpp) ----
    bool finish(const report& one);
    bool end(const report& one, std::optional<std::int64_t> row_number);
    void claim(const claim_request& asked, work_answer& into);
    void read_heads(queue_row& queue, std::size_t room, std::vector<claimed_task>& into, std::size_t& bytes);
    void take_heads(queue_row& queue, std::size_t count, claim_number by);
    std::optional<std::int64_t> row_taken(const task_id& id);
    claim_number take_lease(const std::vector<claimed_task>& tasks, duration lease);

    // ---- tasks that stand aside (aside.cpp) ----
    bool put_aside(const report& one, std::optional<std::int64_t> row_number);
    bool stands_aside_again(const task_id& id, list_row& from);
    void put_aside_anew(const task_id& id, list_row& from);
    bool is_astray(const task_id& id, const list_row& in);
    std::vector<list_row*> aside_lists(std::span<const std::string> queues,
                                       const std::set<std::int64_t>& handlers);
    void tell_adopters();
    void drop_empty_asides();

    // ---- what follows for a task from how its parents stand (settle.cpp) ----
    bool hear(const task_id& id, const task_id& parent, tidings what, const waiting_row& record);
    void settle(const task_id& id, waiting_row record, std::string_view outcome, std::string_view gathered);
    void release(const task_id& id, const waiting_row& record);
    void forsake(const task_id& id, waiting_row record, std::string_view outcome);
    void take_up(const task_id& id, waiting_row record);
    void gather(const task_id& id, std::string_view outcome);

    std::size_t expire(std::size_t limit, std::string_view outcome, bool& more);
    std::size_t promote_queue(queue_row& queue, std::size_t limit);
    void leave_waiting(const task_id& id, const task_row& row);
    std::size_t clean_list(list_row& list, std::size_t limit);
    std::size_t trim_kind(queue_row& queue, list_kind kind, std::size_t count);
    bool drop_ended(const task_id& id, task_row& row);
    void tell_worker(const task_id& id, claim_number claim);
    std::pair<list_row*, std::int64_t> place_after_edit(task_row& row, int priority,
                                                        std::optional<std::int64_t> due);
    bool holds(const task_id& id, claim_number claim);
    list_answer list_running(const list_call& call);
    std::string stages_of(const task_id& id);
    std::string worker_of(claim_number claim);
    void keep_tally();
    struct seen_task;
    void mend(const seen_task& one);
    // It stands in a list that is not there; row_of() throws then.
    bool is_unlisted(const task_id& id);
    void place_anew(const task_id& id, list_row* from, bool unheld);
    std::pair<list_row*, std::optional<std::int64_t>> rightful_place(const task_id& id, bool unheld);
    void wait_anew(const task_id& id);
    std::int64_t count_working(const list_row& list);
    void audit_needs(const task_id& id, audit_step& out, bool repair);
    struct edge;
    std::vector<edge> edges_after(std::string_view cursor, std::size_t limit);
    bool is_stray(const edge& one);
    void drop_stray(const edge& one);
    void sweep_edges();

    connection& in_;
    idle_workers& idle_;
    clock_function clock_;
    std::int64_t engine_;
    bool inside_;
    bool begun_ = false;  // inside: the savepoint is there
    statement_set set_;
    statements sql_{set_};
    std::unordered_map<std::int64_t, std::unique_ptr<namespace_cache>> caches_;
    std::vector<notice> notices_;
    // Of tasks that were claimed here, to find them sooner; by namespace, as one id may stand in several.
    std::unordered_map<std::int64_t, std::unordered_map<task_id, std::int64_t>> rows_taken_;
    std::int64_t version_ = -1;
    std::int64_t watched_at_ = 0;  // when somebody asked, us

    // Of the call under way.
    caller* by_ = nullptr;
    namespace_cache* cache_ = nullptr;
    std::int64_t micros_ = 0;
    std::int64_t now_ = 0;                                       // ms, rounded down: whether something is due
    std::int64_t upper_ = 0;                                     // rounded up: when something will be
    std::map<std::string, std::size_t, std::less<>> freed_;      // by queue: tasks that became ready
    std::map<std::string, std::int64_t, std::less<>> earliest_;  // by queue, of those looked at
    bool stood_aside_ = false;                                   // a task was put aside
    std::string swept_edge_;  // the last one that a pass over all edges looked at
    std::optional<bool> any_edges_, any_watched_, any_stage_;  // of the transaction
};

}  // namespace errand::sqlite
