// The shelf's database: tables of rows, a table for each day on which tasks of a namespace fall due. It knows nothing of the store.
//
// A task is a row (id, due, body). Of ids that may be submitted again there is one of each, by a table of keys that is written in the
// same transaction. Who takes rows has them locked until he strikes them off or goes, and others wait for them or pass them over. In a
// SQLite file, where nobody could write so long, rows are not locked: several may take them, and who strikes them off looks whether they
// are the same still.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "core/task_id.hpp"
#include "shelf/day_columns.hpp"
#include "shelf/statements.hpp"
#include "sql/driver.hpp"
#include "sql/pool.hpp"
#include "store/shelf_store.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace errand::shelf {

struct shelved_task {
    task_id id;
    time_point due{};
    std::string body;
    bool keyed = false;  // of its id there is one; said of what is put there
    bool again = false;  // it may be put there again until forget(), also when it has gone
};

// An id and a life.
using arrival = std::pair<task_id, std::uint64_t>;
using arrivals = std::set<arrival>;

// A place between two rows: behind this one, in the order of a page.
struct row_place {
    std::int64_t due = 0;
    std::string id{};
};

// Rows that nobody else can take as long as this is there (in a SQLite file: that others may have as well). Ended anywhere, they stay.
struct taken_rows {
    taken_rows(sql::pool& from, sql::pool::connection lent) : on{from, std::move(lent)} {}
    sql::pool::loan on;
    std::vector<shelved_task> tasks{};
    std::size_t bytes = 0;        // of their bodies
    std::vector<task_id> left{};  // for which there was no room: nobody else can take these either
    // That were met, and the last of those for which there was room: also what went while it was read.
    std::size_t met = 0;
    row_place last{};
    bool noted = false;  // out of turn: each has a note
};
// So much is taken at once; one row in any case, however long its body is.
struct page_limit {
    std::size_t rows = 0, bytes = 0;
};
// Ended by whomever, on the board's thread, where its connection is used: it may hand over to others who wait there for it.
struct end_there {
    boost::asio::io_context* on = nullptr;
    void operator()(taken_rows* rows) const;
};
using taken = std::unique_ptr<taken_rows, end_there>;  // null: none was met

// Made and ended on any thread but its own. All calls are made on its thread: those that the database could not take are repeated
// for a while, and throw store_error then.
class board {
public:
    board(std::unique_ptr<sql::driver> of, std::string name_space);
    ~board();
    board(const board&) = delete;
    board& operator=(const board&) = delete;

    boost::asio::io_context& thread() noexcept { return context_; }
    const std::string& shown_url() const noexcept { return driver_->shown_url(); }
    const std::string& name_space() const noexcept { return name_space_; }

    // Its mark: this one, when it has none yet. Throws store_error when the rows are of another format. Before anything else.
    awaitable<std::uint64_t> enter(std::uint64_t mark);
    // The life of each id that is on the shelf then: its own, or that of the row that was there.
    awaitable<std::vector<std::uint64_t>> put(std::vector<shelved_task> tasks);
    awaitable<std::vector<shelved_task>> find(std::vector<task_id> ids);
    // Those of these ids that were put there as what may be put there again, with their lives.
    awaitable<arrivals> arrived(std::vector<task_id> ids);
    awaitable<std::size_t> forget(std::vector<arrival> some);  // how many were given
    // Of what was submitted by then and nobody has forgotten; how many.
    awaitable<std::size_t> forget_old(time_point by, std::size_t limit);
    // Out of turn, and noted before: who dies over it leaves a note. Waits for who has them. Up to so many bytes.
    awaitable<taken> take(std::vector<task_id> ids, time_point now, std::size_t bytes);
    // What was noted by then, the first ones first.
    awaitable<std::vector<task_id>> noted(time_point by, std::size_t limit);
    // Of these what was noted by then, and not anew since; how many were given.
    awaitable<std::size_t> drop_notes(std::vector<task_id> ids, time_point by);
    // Of those behind this place that are due by then and nobody has, the first ones first.
    awaitable<taken> take_due(time_point until, row_place behind, page_limit most);
    // These of the taken rows go, with the notes that were made of them; how many. When it throws, they may have gone. Of what somebody
    // else has noted the note stays, and is dropped by who looks after notes.
    awaitable<std::size_t> strike(taken of, std::set<task_id> these);
    awaitable<std::vector<shelved_task>> page(bool newest_first, row_place behind, std::size_t limit);
    awaitable<shelf_state> look();
    // Tables of days that are past and have no rows; how many.
    awaitable<std::size_t> drop_past(time_point now);

private:
    using ids_by_day = std::map<std::int64_t, std::vector<task_id>>;
    struct day_count {
        std::size_t rows = 0;
        time_point first{};
    };

    template <class Work>
    auto patiently(Work work, std::chrono::seconds limit = std::chrono::seconds{5})
        -> std::invoke_result_t<Work&>;
    [[noreturn]] void refuse(const std::string& why) const;
    awaitable<sql::pool::connection> connection() { return pool_->take(context_); }
    awaitable<void> begin(sql::pool::loan& on) const;  // bounded
    awaitable<std::vector<std::int64_t>> days(sql::pool::loan& on) const;
    awaitable<void> make_unless_there(sql::pool::loan& on, std::string text) const;
    awaitable<void> make_day(sql::pool::loan& on, std::int64_t day);
    awaitable<void> make_days(const std::vector<shelved_task>& of);
    awaitable<std::vector<shelved_task>> rows_of(sql::pool::loan& on, std::string_view statement,
                                                 const ids_by_day& where) const;
    awaitable<taken> take_nothing();
    awaitable<void> hold(sql::pool::loan& on) const;
    static void choose(taken_rows& to, std::set<task_id>& long_ones, const sql::result& rows,
                       std::size_t bytes);
    awaitable<void> read_long_bodies(taken_rows& of, const std::set<task_id>& which) const;
    awaitable<taken> none_or(taken got, bool held) const;
    awaitable<void> put_notes(sql::pool::loan& on, const ids_by_day& where, time_point now) const;
    awaitable<void> erase(sql::pool::loan& on, std::string_view statement, std::optional<std::int64_t> day,
                          const std::vector<task_id>& ids) const;
    awaitable<ids_by_day> still_there(sql::pool::loan& on, const ids_by_day& where,
                                      const std::map<task_id, std::uint64_t>& lives) const;
    awaitable<std::size_t> strike_once(taken_rows& of, const std::set<task_id>& these, bool locked) const;
    awaitable<ids_by_day> locate(sql::pool::loan& on, const std::vector<task_id>& ids) const;
    awaitable<arrivals> arrived_on(sql::pool::loan& on, const std::vector<task_id>& ids) const;
    awaitable<arrivals> arrive(sql::pool::loan& on, const std::vector<shelved_task>& tasks) const;
    awaitable<void> forget_on(sql::pool::loan& on, const std::vector<arrival>& some) const;
    awaitable<void> insert(sql::pool::loan& on, std::string_view statement, std::int64_t day,
                           std::size_t columns, std::vector<sql::value> values) const;
    awaitable<std::map<task_id, std::uint64_t>> put_keys(sql::pool::loan& on,
                                                         const std::vector<shelved_task>& tasks,
                                                         const arrivals& before) const;
    awaitable<std::vector<std::uint64_t>> put_once(const std::vector<shelved_task>& tasks);
    awaitable<day_count> count_of(std::int64_t day);
    awaitable<bool> shut(sql::pool::loan& on, std::int64_t day) const;
    awaitable<bool> drop(std::int64_t day);

    const std::string name_space_;
    const std::unique_ptr<sql::driver> driver_;
    const sql::dialect& dialect_;
    statements texts_;
    const day_columns columns_;
    std::int64_t space_ = 0;           // the number of the namespace
    std::set<std::int64_t> made_{};    // days whose tables were there
    std::shared_ptr<sql::pool> pool_;  // after what has its connections
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_;
};

}  // namespace errand::shelf
