// Onto the shelf: tables of days, and rows that are put there.
#include <errand/error.hpp>

#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "shelf/board.hpp"
#include "shelf/board_calls.hpp"
#include "shelf/rows.hpp"
#include "sql/dialect.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

namespace errand::shelf {

namespace {

// Of one transaction, which ends within the patience of a call: each day is a table.
constexpr std::size_t rows_per_part = 500, days_per_part = 50;

// Of statements of few lengths those that are prepared are met again.
std::size_t rows_in_text(std::size_t rows) { return std::min(rows_per_part, std::bit_floor(rows)); }

// In the order of their days, so that those of one day stand together. Of one id the first one stays the first.
std::vector<std::size_t> by_days(const std::vector<shelved_task>& tasks) {
    std::map<task_id, std::int64_t> firsts;
    std::vector<std::int64_t> days;
    for (const auto& one : tasks)
        days.push_back(firsts.try_emplace(one.id, shelf_day(one.due)).first->second);
    std::vector<std::size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t at) { return days[at]; });
    return order;
}

}  // namespace

// ---- tables of days --------------------------------------------------------------------------------

// Whoever makes one that another program makes just then is told in PostgreSQL that its name is taken.
awaitable<void> board::make_unless_there(sql::pool::loan& on, std::string text) const {
    try {
        co_await on.run(std::move(text));
    } catch (const database_error& e) {
        constexpr std::string_view unique_violation = "23505", duplicate_table = "42P07";
        if (e.code() != unique_violation && e.code() != duplicate_table) throw;
    }
}

awaitable<void> board::make_day(sql::pool::loan& on, std::int64_t day) {
    co_await make_unless_there(on, texts_.text("make_day", {.day = day}));
    auto index = texts_.text("make_index", {.day = day});
    if (!index.empty()) co_await make_unless_there(on, std::move(index));
    made_.insert(day);
}

// Each in a time of its own: hundreds of them may take longer than a database is waited for.
awaitable<void> board::make_days(const std::vector<shelved_task>& of) {
    std::set<std::int64_t> days;
    for (const auto& one : of) days.insert(shelf_day(one.due));
    for (const auto day : days) {
        if (made_.contains(day)) continue;
        co_await patiently([this, day]() -> awaitable<bool> {
            sql::pool::loan on{*pool_, co_await connection()};
            co_await make_day(on, day);
            on.clean = true;
            co_return true;
        });
    }
}

// ---- rows ------------------------------------------------------------------------------------------

// Rows of so many columns.
awaitable<void> board::insert(sql::pool::loan& on, std::string_view statement, std::int64_t day,
                              std::size_t columns, std::vector<sql::value> values) const {
    for (std::size_t from = 0, rows = 0; from < values.size(); from += rows * columns) {
        rows = rows_in_text((values.size() - from) / columns);
        const auto first = std::make_move_iterator(values.begin() + static_cast<std::ptrdiff_t>(from));
        std::vector<sql::value> some(first, first + static_cast<std::ptrdiff_t>(rows * columns));
        co_await on.run(texts_.text(statement, {.day = day, .rows = rows}), std::move(some));
    }
}

awaitable<std::map<task_id, std::uint64_t>> board::put_keys(sql::pool::loan& on,
                                                            const std::vector<shelved_task>& tasks,
                                                            const arrivals& before) const {
    std::map<task_id, std::uint64_t> held;
    std::set<task_id> keyed;
    std::vector<sql::value> values, ids{space_};
    for (const auto& one : tasks) {
        if (!one.keyed || before.contains(arrival_of(one))) continue;
        keyed.insert(one.id);
        values.insert(values.end(), {bytes_of(one.id.view()), space_, ms_of(one.due),
                                     static_cast<std::int64_t>(incarnation_of(one.body))});
        ids.emplace_back(bytes_of(one.id.view()));
    }
    if (values.empty()) co_return held;
    co_await insert(on, "put_keys", 0, 4, std::move(values));
    const auto count = ids.size() - 1;
    const auto got = co_await on.run(texts_.text("keys", {.ids = count}), std::move(ids));
    for (const auto& row : got.rows) held[id_of(row, 0)] = static_cast<std::uint64_t>(number_of(row, 2));
    // The row that was in the way went before it was looked at: without a key nobody would find what is put there.
    if (held.size() < keyed.size()) throw serialization_failure{"a task of the same name left just then", ""};
    co_return held;
}

awaitable<std::vector<std::uint64_t>> board::put_once(const std::vector<shelved_task>& tasks) {
    sql::pool::loan on{*pool_, co_await connection()};
    std::map<std::int64_t, std::vector<sql::value>> by_day;
    // Those that are not known any more since something was refused: one of them may have been dropped.
    for (const auto& one : tasks) {
        if (const auto day = shelf_day(one.due); !made_.contains(day)) co_await make_day(on, day);
    }
    co_await begin(on);
    const auto before = co_await arrive(on, tasks);
    const auto held = co_await put_keys(on, tasks, before);
    for (const auto& one : tasks) {
        const auto key = held.find(one.id);
        if (before.contains(arrival_of(one))) continue;
        if (key != held.end() && key->second != incarnation_of(one.body)) continue;
        const auto day = shelf_day(one.due);
        auto& values = by_day[day];
        values.insert(values.end(),
                      {columns_.id(one.id), columns_.time(day, ms_of(one.due)), bytes_of(one.body)});
    }
    for (auto& [day, values] : by_day) co_await insert(on, "put", day, 3, std::move(values));
    co_await on.run(dialect_.commit);
    on.clean = true;
    std::vector<std::uint64_t> lives;
    for (const auto& one : tasks) {
        const auto key = held.find(one.id);
        const bool mine = key == held.end() || before.contains(arrival_of(one));
        lives.push_back(mine ? incarnation_of(one.body) : key->second);
    }
    co_return lives;
}

awaitable<std::vector<std::uint64_t>> board::put(std::vector<shelved_task> tasks) {
    std::vector<std::uint64_t> lives(tasks.size());
    const auto order = by_days(tasks);
    for (std::size_t from = 0; from < order.size();) {
        std::vector<shelved_task> some;
        std::set<std::int64_t> days;
        while (from + some.size() < order.size() && some.size() < rows_per_part) {
            auto& next = tasks[order[from + some.size()]];
            days.insert(shelf_day(next.due));
            if (days.size() > days_per_part) break;
            some.push_back(std::move(next));
        }
        co_await make_days(some);
        const auto got = co_await patiently([&] { return put_once(some); });
        for (const auto life : got) lives[order[from++]] = life;
    }
    co_return lives;
}

}  // namespace errand::shelf
