// A store with a shelf beside it.
//
// What keeps a task from being lost or run twice, whoever is killed between the two:
//
// Up     A submission for the shelf is accepted when its row is committed, and the store hears nothing of it. A repeat finds
//        the row by its id and changes nothing. Of an id that may be submitted again (a biz_id's) there is one: the table of keys
//        decides among rows, and who holds the id in the store is asked before.
// Again  What may come again, as the lines of an import are sent again when nobody knows whether they were, and goes on the shelf has an
//        entry there beside its row, in the same transaction, which stays until forget(). So a repeat is known also when the row has
//        gone, the task has run and the store has forgotten that it came; and when it is not due far from now any more.
// Down   Whoever brings tasks to the store has their rows locked (in a SQLite file he does not: board.hpp); gives them to the store as
//        what may come again, under the id and life that the row has; and deletes those rows for which the store has answered. Killed
//        before the answer: nothing has happened, or the store has the task and remembers (id, life), so that who meets the row next is
//        told that it came already, whatever became of the task meanwhile, and deletes it. Killed after it: the same. A row whose task
//        the store has is dead: it can only be deleted. So a task is never in both as one that may run, and a deleted row was accepted
//        by the store, which has had the time to tell a replica of it.
// Turn   Rows that fall due soon are met again soon. What is brought long before is noted in the database first (errand_shelf_brought,
//        committed before the rows are locked), and the note goes with the row. Workers bring a minute later what is noted still: it
//        would be dead for years otherwise, and the store does not remember it for so long.
// Later  The store forgets (id, life) when no call with it can be under way any more. A lock may be lost while its owner goes on, as
//        when the database fails over; so calls are begun within twenty seconds after the row was asked for, with a patience of ten
//        seconds, on a store object of their own, and it is forgotten a minute after the row went. Who is killed before that leaves an
//        entry that the store drops by itself, and so does a program that ends before. An id that was drawn by chance is refused
//        besides as long as anything is kept of it.
// Apart  Each shard is given its own of a page: what one that is away does not take stays, and a worker's look goes on behind it.
// Ahead  Rows are brought `ahead` of their due time and wait in the store as delayed tasks: nothing starts early.
// Else   Whoever asks for a task that the store does not know is told of its row; whoever changes it, ends it, waits for it or
//        depends on it has it brought first, and then asks the store again. It stays there.
#pragma once

#include "shelf/board.hpp"
#include "shelf/crossing.hpp"
#include "shelf/forgetter.hpp"
#include "store/passing_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand::shelf {

// After its rows were read a page of tasks is sent for so long, with the carrier's patience behind that; and forgotten when so long has
// passed since the rows went, which was not before that page was read by anybody who has it.
struct bringing_times {
    std::chrono::steady_clock::duration sends_for = std::chrono::seconds{20};
    std::chrono::steady_clock::duration forgets_after = std::chrono::minutes{1};
};

class shelved_store final : public passing_store {
public:
    // `executor`: of the loop that it is used on. `carrier`: makes a store object of the same namespace, by which tasks are brought; it has
    // a patience. `trouble`: told in words of what somebody should look at; may be empty.
    shelved_store(const boost::asio::any_io_executor& executor, std::unique_ptr<store> in,
                  std::shared_ptr<board> rows, duration ahead,
                  std::function<std::unique_ptr<store>()> carrier,
                  std::function<void(std::string_view)> trouble, bringing_times times = {});
    ~shelved_store() override;
    shelved_store(const shelved_store&) = delete;
    shelved_store& operator=(const shelved_store&) = delete;

    void close() override;
    awaitable<std::vector<submit_answer>> submit(std::size_t lane, std::span<const submission_item> items,
                                                 submit_mode mode) override;
    awaitable<void> forget(std::span<const delivered_task> tasks) override;
    awaitable<std::optional<found_task>> find(const task_id& id) override;
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override;
    awaitable<edit_verdict> edit(const edit_call& call) override;
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override;
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override;
    awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                  std::span<const parent_task> parents) override;
    awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                            std::span<const task_id> parents) override;
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override;
    awaitable<list_answer> list(const list_call& call) override;
    awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) override;

    std::optional<duration> shelf_ahead() const override { return ahead_; }
    awaitable<std::size_t> fetch_shelved(std::shared_ptr<shelf_pass> of) override;
    awaitable<std::optional<shelf_state>> look_at_shelf() override;

private:
    using clock = std::chrono::steady_clock;
    // A lane of the carrier in which no other call is in flight.
    class lane_loan {
    public:
        explicit lane_loan(std::set<std::size_t>& used) : used_{used} {
            while (used_.contains(at)) ++at;
            used_.insert(at);
        }
        ~lane_loan() { used_.erase(at); }
        lane_loan(const lane_loan&) = delete;
        lane_loan& operator=(const lane_loan&) = delete;

        std::size_t at = 0;

    private:
        std::set<std::size_t>& used_;
    };

    // What became of those that one shard was given.
    struct carried {
        std::size_t shard = 0;
        std::vector<delivered_task> brought{};
        std::exception_ptr failure{};  // why the others stay
    };

    // Both are there, and belong together.
    awaitable<void> ready();
    awaitable<void> pair();
    // Throws when the store did not take one that was there.
    awaitable<std::size_t> bring(std::vector<task_id> ids);
    awaitable<std::size_t> bring_left_behind(std::shared_ptr<shelf_pass> of);
    awaitable<std::size_t> fetch_pages(time_point until, std::shared_ptr<shelf_pass> of, std::size_t most,
                                       std::size_t bytes);
    awaitable<std::size_t> take_and_deliver(std::vector<task_id> ids, std::shared_ptr<shelf_pass> of);
    // `asked`: when the rows were asked for, or before.
    awaitable<std::size_t> deliver(taken rows, clock::time_point asked, std::shared_ptr<shelf_pass> of);
    awaitable<carried> carry(std::size_t shard, std::vector<submission_item> items, clock::time_point until);
    void complain(const std::string& task, const std::string& why);
    awaitable<std::vector<submit_answer>> submit_aside(std::size_t lane,
                                                       std::span<const submission_item> items);
    awaitable<arrivals> came_there(std::span<const submission_item> items);
    awaitable<arrivals> arrived(std::vector<task_id> ids);
    awaitable<std::vector<submit_answer>> put(std::size_t lane, std::span<const submission_item> items);
    awaitable<std::vector<submit_answer>> ask(std::size_t lane, const std::vector<submission_item>& items);
    awaitable<submit_answer> put_over(std::size_t lane, submission_item item);
    found_task found(shelved_task one) const;

    const std::shared_ptr<board> rows_;
    const duration ahead_;
    const std::function<std::unique_ptr<store>()> make_carrier_;
    const std::function<void(std::string_view)> trouble_;
    const bringing_times times_;
    bool complained_ = false;
    std::unique_ptr<store> carrier_;  // null until it is needed
    bool carrier_open_ = false;       // once for all: which of its shards are there it knows itself then
    bool ready_ = false, opening_ = false, closed_ = false;
    std::set<std::size_t> lanes_;  // of the carrier, that have a call in flight
    const std::shared_ptr<forgetter> forgets_;
    clock::time_point drop_at_{};
    crossings calls_;
};

}  // namespace errand::shelf
