// Off the shelf: rows that are taken and struck off, and tables that nobody needs any more.
#include <errand/error.hpp>

#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "shelf/board.hpp"
#include "shelf/board_calls.hpp"
#include "shelf/rows.hpp"
#include "sql/dialect.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace errand::shelf {

namespace asio = boost::asio;

namespace {

// A page in one statement.
constexpr std::size_t ids_per_deletion = 500;

// Of statements of few lengths those that are prepared are met again; the last id stands there several times then.
std::size_t ids_in_text(std::size_t ids) {
    constexpr std::size_t fewer[]{1, 10, 100};
    for (const auto length : fewer) {
        if (ids <= length) return length;
    }
    return ids_per_deletion;
}

}  // namespace

void end_there::operator()(taken_rows* rows) const {
    std::unique_ptr<taken_rows> gone{rows};
    if (on->stopped() || on->get_executor().running_in_this_thread()) return;
    asio::post(*on, [gone = std::move(gone)]() mutable { gone.reset(); });
}

awaitable<taken> board::take_nothing() {
    auto lent = co_await connection();
    co_return taken{new taken_rows{*pool_, std::move(lent)}, end_there{&context_}};
}

// Where rows cannot be locked without keeping all who write waiting they are not: others may bring them at the same time, which the
// store takes once.
awaitable<void> board::hold(sql::pool::loan& on) const {
    if (!dialect_.locks_rows) co_return;
    co_await begin(on);
}

awaitable<taken> board::none_or(taken got, bool held) const {
    const bool empty = got->met == 0;
    if (empty && held && dialect_.locks_rows) co_await got->on.run(dialect_.rollback);
    got->on.clean = empty || !dialect_.locks_rows;
    if (empty) got.reset();
    co_return got;
}

awaitable<void> board::put_notes(sql::pool::loan& on, const ids_by_day& where, time_point now) const {
    for (const auto& [day, ids] : where) {
        for (std::size_t from = 0; from < ids.size(); from += ids_per_statement) {
            const auto count = std::min(ids_per_statement, ids.size() - from);
            std::vector<sql::value> values;
            for (std::size_t at = from; at < from + count; ++at)
                values.insert(values.end(), {bytes_of(ids[at].view()), space_, ms_of(now)});
            co_await on.run(texts_.text("put_notes", {.rows = count}), std::move(values));
        }
    }
}

// Without the note a row of which the store has the task already would stay until it falls due, in years perhaps, and the store does
// not remember for so long that it came. So the note is committed before anything else is done.
awaitable<taken> board::take(std::vector<task_id> ids, time_point now, std::size_t bytes) {
    co_return co_await patiently([&]() -> awaitable<taken> {
        auto got = co_await take_nothing();
        std::set<task_id> long_ones;
        const auto where = co_await locate(got->on, ids);
        if (!where.empty()) {
            co_await put_notes(got->on, where, now);
            co_await hold(got->on);
            for (const auto& [day, some] : where) {
                for (std::size_t from = 0; from < some.size(); from += ids_per_statement) {
                    auto values = columns_.ids(some, from, ids_per_statement);
                    const auto count = values.size();
                    const auto rows = co_await got->on.run(texts_.text("choose", {.day = day, .ids = count}),
                                                           std::move(values));
                    choose(*got, long_ones, rows, bytes);
                }
            }
            co_await read_long_bodies(*got, long_ones);
            got->noted = true;
        }
        co_return co_await none_or(std::move(got), !where.empty());
    });
}

awaitable<taken> board::take_due(time_point until, row_place behind, page_limit most) {
    co_return co_await patiently([&]() -> awaitable<taken> {
        auto got = co_await take_nothing();
        std::set<task_id> long_ones;
        const auto first = shelf_day(time_point{duration{behind.due}});
        auto all = co_await days(got->on);
        std::erase_if(all, [&](std::int64_t day) { return day < first || day > shelf_day(until); });
        if (!all.empty()) co_await hold(got->on);
        for (const auto day : all) {
            if (got->tasks.size() == most.rows || !got->left.empty()) break;
            const auto end = columns_.order(day, ms_of(until) + 1, {});
            const auto order = columns_.order(day, behind.due, behind.id);
            const auto rows =
                co_await got->on.run(texts_.text("take_due", {.day = day}),
                                     row_with(end, order, order, bytes_of(behind.id),
                                              static_cast<std::int64_t>(most.rows - got->tasks.size())));
            choose(*got, long_ones, rows, most.bytes);
        }
        co_await read_long_bodies(*got, long_ones);
        co_return co_await none_or(std::move(got), !all.empty());
    });
}

// In their order, so that a page ends where the next one begins.
void board::choose(taken_rows& to, std::set<task_id>& long_ones, const sql::result& rows, std::size_t bytes) {
    to.met += rows.rows.size();
    for (const auto& one : rows.rows) {
        const auto length = static_cast<std::size_t>(number_of(one, 3));
        auto id = id_of(one, 0);
        if (!to.left.empty() || (!to.tasks.empty() && to.bytes + length > bytes)) {
            to.left.push_back(id);
            continue;
        }
        to.bytes += length;
        to.last = {number_of(one, 1), std::string{id.view()}};
        const bool is_long = std::holds_alternative<std::monostate>(one.at(2));
        if (is_long) long_ones.insert(id);
        to.tasks.push_back({id, time_of(one, 1), is_long ? std::string{} : text_of(one, 2)});
    }
}

// Where rows are not locked somebody may have struck one off meanwhile, and another task of its name may be there: which is taken as it
// is, where it has this one's place.
awaitable<void> board::read_long_bodies(taken_rows& of, const std::set<task_id>& which) const {
    if (which.empty()) co_return;
    ids_by_day where;
    for (const auto& one : of.tasks) {
        if (which.contains(one.id)) where[shelf_day(one.due)].push_back(one.id);
    }
    auto rows = co_await rows_of(of.on, "find", where);
    std::map<task_id, shelved_task> there;
    for (auto& one : rows) there.insert_or_assign(one.id, std::move(one));
    std::erase_if(of.tasks, [&](shelved_task& one) {
        if (!which.contains(one.id)) return false;
        const auto now = there.find(one.id);
        if (now == there.end() || now->second.due != one.due) return true;
        one = std::move(now->second);
        return false;
    });
}

awaitable<std::vector<task_id>> board::noted(time_point by, std::size_t limit) {
    co_return co_await patiently([&]() -> awaitable<std::vector<task_id>> {
        sql::pool::loan on{*pool_, co_await connection()};
        const auto got = co_await on.run(texts_.text("notes"),
                                         row_with(space_, ms_of(by), static_cast<std::int64_t>(limit)));
        on.clean = true;
        std::vector<task_id> ids;
        for (const auto& row : got.rows) ids.push_back(id_of(row, 0));
        co_return ids;
    });
}

awaitable<std::size_t> board::drop_notes(std::vector<task_id> ids, time_point by) {
    co_return co_await patiently([&]() -> awaitable<std::size_t> {
        sql::pool::loan on{*pool_, co_await connection()};
        co_await begin(on);
        for (std::size_t from = 0; from < ids.size(); from += ids_per_statement) {
            auto values = values_of(space_, ids, from, ids_per_statement);
            const auto count = values.size() - 1;
            values.insert(values.begin() + 1, sql::value{ms_of(by)});
            co_await on.run(texts_.text("drop_notes", {.ids = count}), std::move(values));
        }
        co_await on.run(dialect_.commit);
        on.clean = true;
        co_return ids.size();
    });
}

// From the table of a day, or from one that all namespaces have.
awaitable<void> board::erase(sql::pool::loan& on, std::string_view statement, std::optional<std::int64_t> day,
                             const std::vector<task_id>& ids) const {
    const std::size_t before = day ? 0 : 1;
    for (std::size_t from = 0; from < ids.size(); from += ids_per_deletion) {
        auto values =
            day ? columns_.ids(ids, from, ids_per_deletion) : values_of(space_, ids, from, ids_per_deletion);
        const auto count = ids_in_text(values.size() - before);
        values.resize(count + before, sql::value{values.back()});
        co_await on.run(texts_.text(statement, {.day = day.value_or(0), .ids = count}), std::move(values));
    }
}

// Those that are there with the same life: while rows were not locked somebody else may have struck them off, and another task of
// the same name may be there since.
awaitable<board::ids_by_day> board::still_there(sql::pool::loan& on, const ids_by_day& where,
                                                const std::map<task_id, std::uint64_t>& lives) const {
    ids_by_day same;
    const auto rows = co_await rows_of(on, "take", where);
    for (const auto& one : rows) {
        if (lives.at(one.id) == incarnation_of(one.body)) same[shelf_day(one.due)].push_back(one.id);
    }
    co_return same;
}

awaitable<std::size_t> board::strike_once(taken_rows& of, const std::set<task_id>& these, bool locked) const {
    ids_by_day gone;
    std::map<task_id, std::uint64_t> lives;
    for (const auto& one : of.tasks) {
        if (!these.contains(one.id)) continue;
        gone[shelf_day(one.due)].push_back(one.id);
        lives[one.id] = incarnation_of(one.body);
    }
    of.on.clean = false;
    if (!locked) {
        co_await begin(of.on);
        gone = co_await still_there(of.on, gone, lives);
    }
    std::size_t count = 0;
    for (const auto& [day, ids] : gone) {
        co_await erase(of.on, "strike", day, ids);
        co_await erase(of.on, "strike_keys", {}, ids);
        if (of.noted) co_await erase(of.on, "strike_notes", {}, ids);
        count += ids.size();
    }
    co_await of.on.run(dialect_.commit);
    of.on.clean = true;
    co_return count;
}

awaitable<std::size_t> board::strike(taken of, std::set<task_id> these) {
    std::string why;
    for (int refusals = 0; refusals < most_refusals; ++refusals) {
        const bool locked = dialect_.locks_rows && refusals == 0;
        try {
            // The locks went with the transaction.
            if (dialect_.locks_rows && !locked) co_await of->on.run(dialect_.rollback);
            co_return co_await asio::co_spawn(context_.get_executor(), strike_once(*of, these, locked),
                                              asio::cancel_after(patience, asio::use_awaitable));
        } catch (const serialization_failure& e) {
            why = e.what();
        } catch (const std::exception& e) {
            why = e.what();
            break;
        }
    }
    refuse(
        "did not strike off what was brought to the store, where it may be already: it is struck off when it is met again (" +
        why + ")");
}

// False: somebody has it.
awaitable<bool> board::shut(sql::pool::loan& on, std::int64_t day) const {
    constexpr std::string_view lock_not_available = "55P03";
    auto text = texts_.text("shut", {.day = day});
    if (text.empty()) co_return true;
    try {
        co_await on.run(std::move(text));
    } catch (const database_error& e) {
        if (e.code() != lock_not_available) throw;
        co_return false;
    }
    co_return true;
}

awaitable<bool> board::drop(std::int64_t day) {
    sql::pool::loan on{*pool_, co_await connection()};
    const auto any = texts_.text("any", {.day = day});
    auto found = co_await on.run(any);
    if (found.rows.empty()) {
        co_await begin(on);
        if (!co_await shut(on, day)) {
            co_await on.run(dialect_.rollback);
            on.clean = true;
            co_return false;
        }
        found = co_await on.run(any);
        if (found.rows.empty()) co_await on.run(texts_.text("drop", {.day = day}));
        co_await on.run(dialect_.commit);
        made_.erase(day);
    }
    on.clean = true;
    co_return found.rows.empty();
}

awaitable<std::size_t> board::drop_past(time_point now) {
    const auto all = co_await patiently([this]() -> awaitable<std::vector<std::int64_t>> {
        sql::pool::loan on{*pool_, co_await connection()};
        auto found = co_await days(on);
        on.clean = true;
        co_return found;
    });
    std::size_t dropped = 0;
    for (const auto day : all) {
        if (!is_past_shelf_day(day, now)) break;
        const bool gone = co_await patiently([&] { return drop(day); });
        if (gone) ++dropped;
    }
    co_return dropped;
}

}  // namespace errand::shelf
