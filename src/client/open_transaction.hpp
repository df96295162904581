// Submissions, and declarations of schedules, held back until a commit. What a transaction holds is found by the ambient of
// the executor or given by a guard; branches of one transaction may add to it at once, on several threads.
#pragma once

#include "client/prepared_submission.hpp"
#include "client/settle_submission.hpp"
#include "runtime/ambient.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace errand::detail {

struct held_task;
class transaction_level;  // outbox/sql_transaction.hpp: what statements run in

// Who delivers what a database has committed.
class arrival {
public:
    virtual ~arrival() = default;
    // Completes when the task has left `committed`. From any executor.
    virtual awaitable<void> of(std::shared_ptr<held_task> task) = 0;
};

// One submission held back, whose handle looks here for what became of it; or a schedule that is declared.
struct held_task {
    // committed: it stands in a database and is on its way to the store; refused: the store did not take it from there.
    enum class fate : std::uint8_t { held, committed, submitted, dropped, refused };

    prepared_submission what;
    std::optional<schedule_record> schedule{};  // then `what` is nothing
    std::string handler;
    std::optional<std::string> biz_id;
    // Written before `now` is `committed`.
    std::shared_ptr<arrival> courier{};
    std::string batch{};  // where it stands in the database
    std::size_t place = 0;
    // Right once `now` is `submitted`; a life of 0 is any.
    std::atomic<incarnation> life{0};
    std::atomic<bool> duplicate{false};
    std::exception_ptr refusal{};  // written before `now` is `refused`
    std::atomic<fate> now{fate::held};
};

using held_list = std::vector<std::shared_ptr<held_task>>;

// Those of it that are tasks, and what the others declare.
held_list tasks_of(const held_list& list);
std::vector<schedule_record> schedules_of(const held_list& list);

// What becomes of all of them. `kept`: a stage's children keep their ids; else the next ones alike get them.
void settle(const held_list& list, held_task::fate fate, bool kept) noexcept;
// What the store takes of these tasks, stamped with its time.
std::vector<submission_item> items_of(const held_list& list, time_point store_now);
// What the quota asks of each task by itself, before items are made of them. Throws quota_exceeded when one has larger arguments
// than it allows.
void fit_to_quota(const app_core& app, const held_list& tasks);
// Throws what the first one that the store refuses means.
awaitable<void> throw_refusal(store& in, const held_list& list, const std::vector<submit_answer>& answers);
// Completes when the task is where its handle can find it.
awaitable<void> arrived(task_ref ref);
bool has_arrived(const task_ref& ref) noexcept;

class open_transaction {
public:
    // True while the store can write nothing before the transaction has ended, because it is kept in the same database.
    using lock_mark = std::shared_ptr<const std::atomic<bool>>;

    // A transaction inside another joins it: what it holds goes to the outer one when it ends well. `level` and `locked`:
    // of a database's transaction; without them they are those of the outer one.
    explicit open_transaction(app_core& app, std::shared_ptr<open_transaction> outer = nullptr,
                              std::shared_ptr<transaction_level> level = nullptr, lock_mark locked = nullptr);
    ~open_transaction();

    app_core& app() const noexcept { return *app_; }
    // Whose tasks it holds, where its app's worker serves several namespaces: the first one says. Throws usage_error when it is
    // tied to another.
    void choose(app_core& core);
    const std::shared_ptr<transaction_level>& level() const noexcept { return level_; }

    // From any thread.
    bool locks_store() const noexcept { return locked_ && *locked_; }

    // usage_error when the transaction has ended.
    task_ref hold(prepared_submission one);
    void hold(schedule_record declared);

    // Ends it: the caller sees to what it held.
    held_list end();
    // Ends it: submits all in one batch, then declares the schedules (or hands it all to the outer transaction). Throws
    // what the first refused one means, with nothing submitted.
    awaitable<void> commit();
    // Ends it: drops all. Nothing happens when it has ended.
    void drop() noexcept;

private:
    void add(std::shared_ptr<held_task> one);
    void take_over(held_list list);
    awaitable<void> submit_all(held_list list);
    awaitable<void> submit_tasks(loop& there, const held_list& tasks);

    app_core* app_;
    const std::shared_ptr<open_transaction> outer_;
    const std::shared_ptr<transaction_level> level_;
    const lock_mark locked_;
    std::mutex guard_;  // of what follows
    held_list held_;
    bool ended_ = false;
};

// Throws usage_error when the caller is in a transaction that keeps the store from writing: no task could end before it.
void check_may_wait(const ambient* around, const app_core& of);

// Runs the body under `inside`, an ambient transaction; drops what it holds when the body throws.
awaitable<void> run_under(std::shared_ptr<open_transaction> inside, std::function<awaitable<void>()> body);

}  // namespace errand::detail
