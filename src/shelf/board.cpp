#include "shelf/board.hpp"

#include <errand/error.hpp>

#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "shelf/board_calls.hpp"
#include "shelf/rows.hpp"
#include "sql/dialect.hpp"

#include <algorithm>
#include <ranges>

namespace errand::shelf {

namespace {

constexpr std::size_t days_per_statement = 50;
// All rows of a day are read for it, and there may be a thousand million.
constexpr std::chrono::minutes time_to_count{15};
const database_options settings{.connections = 8, .wait = duration{5'000}};

}  // namespace

board::board(std::unique_ptr<sql::driver> of, std::string name_space)
    : name_space_{std::move(name_space)},
      driver_{std::move(of)},
      dialect_{sql::dialect::of(driver_->name())},
      texts_{dialect_},
      columns_{dialect_},
      pool_{std::make_shared<sql::pool>(*driver_, settings, sql::pool::greeting{})},
      work_{context_.get_executor()},
      thread_{[this] { context_.run(); }} {}

board::~board() {
    context_.stop();
    thread_.join();
    pool_->close();
}

void board::refuse(const std::string& why) const {
    throw store_error{"the shelf " + shown_url() + ' ' + why};
}

awaitable<void> board::begin(sql::pool::loan& on) const {
    if (!dialect_.isolate.empty()) co_await on.run(dialect_.isolate);
    co_await on.run(dialect_.begin);
    auto bound = texts_.text("bound");
    if (!bound.empty()) co_await on.run(std::move(bound));
}

awaitable<std::uint64_t> board::enter(std::uint64_t mark) {
    const auto row = co_await patiently([this, mark]() -> awaitable<std::vector<std::int64_t>> {
        sql::pool::loan on{*pool_, co_await connection()};
        co_await on.run(texts_.text("make_spaces"));
        co_await on.run(texts_.text("make_keys"));
        co_await on.run(texts_.text("make_notes"));
        co_await on.run(texts_.text("make_arrived"));
        auto got = co_await on.run(texts_.text("space"), row_with(name_space_));
        if (got.rows.empty() || number_of(got.rows[0], 2) == 0) {
            const auto own = static_cast<std::int64_t>(mark);
            co_await on.run(texts_.text("enter"), row_with(name_space_, shelf_format, own));
            co_await on.run(texts_.text("adopt"), row_with(own, name_space_));
            got = co_await on.run(texts_.text("space"), row_with(name_space_));
        }
        on.clean = true;
        // Another namespace has the number: it is tried again.
        if (got.rows.empty()) throw store_error{"others enter it just now"};
        co_return std::vector{number_of(got.rows[0], 0), number_of(got.rows[0], 1),
                              number_of(got.rows[0], 2)};
    });
    if (row[1] != shelf_format) {
        const std::string older =
            "use the errand that wrote them until nothing is left there; then, with none of its programs running, "
            "UPDATE errand_shelf SET format = " +
            std::to_string(shelf_format) + " WHERE name_space = '" + name_space_ + '\'';
        refuse("has rows of format " + std::to_string(row[1]) + ", and this version of errand knows format " +
               std::to_string(shelf_format) + ": " +
               (row[1] < shelf_format ? older : "use the errand that wrote them, or a newer one"));
    }
    space_ = row[0];
    texts_.belong_to(space_);
    co_return static_cast<std::uint64_t>(row[2]);
}

awaitable<std::vector<std::int64_t>> board::days(sql::pool::loan& on) const {
    const auto got = co_await on.run(texts_.text("days"));
    std::vector<std::int64_t> all;
    for (const auto& row : got.rows) {
        if (const auto day = day_of_shelf_table(space_, text_of(row, 0))) all.push_back(*day);
    }
    std::ranges::sort(all);
    co_return all;
}

// ---- looking ---------------------------------------------------------------------------------------

// Where rows are: of keys it is known; others are looked for in all days.
awaitable<board::ids_by_day> board::locate(sql::pool::loan& on, const std::vector<task_id>& ids) const {
    ids_by_day found;
    std::vector<task_id> keys, others;
    for (const auto& id : ids) (follows_from_names(id) ? keys : others).push_back(id);
    for (std::size_t from = 0; from < keys.size(); from += ids_per_statement) {
        auto values = values_of(space_, keys, from, ids_per_statement);
        const auto count = values.size() - 1;
        const auto got = co_await on.run(texts_.text("keys", {.ids = count}), std::move(values));
        for (const auto& row : got.rows) found[shelf_day(time_of(row, 1))].push_back(id_of(row, 0));
    }
    if (others.empty()) co_return found;
    const auto all = co_await days(on);
    for (std::size_t from = 0; from < others.size(); from += ids_per_statement) {
        for (std::size_t day = 0; day < all.size(); day += days_per_statement) {
            const auto some = columns_.ids(others, from, ids_per_statement);
            const auto last = std::min(all.size(), day + days_per_statement);
            const std::vector<std::int64_t> of{all.begin() + static_cast<std::ptrdiff_t>(day),
                                               all.begin() + static_cast<std::ptrdiff_t>(last)};
            std::vector<sql::value> values;
            for (std::size_t n = 0; n < of.size(); ++n) values.insert(values.end(), some.begin(), some.end());
            const auto got = co_await on.run(texts_.of_all("where", of, some.size()), std::move(values));
            for (const auto& row : got.rows) found[shelf_day(time_of(row, 1))].push_back(id_of(row, 0));
        }
    }
    co_return found;
}

awaitable<std::vector<shelved_task>> board::rows_of(sql::pool::loan& on, std::string_view statement,
                                                    const ids_by_day& where) const {
    std::vector<shelved_task> all;
    for (const auto& [day, some] : where) {
        for (std::size_t from = 0; from < some.size(); from += ids_per_statement) {
            auto values = columns_.ids(some, from, ids_per_statement);
            const auto count = values.size();
            const auto got =
                co_await on.run(texts_.text(statement, {.day = day, .ids = count}), std::move(values));
            append_tasks(all, got);
        }
    }
    co_return all;
}

awaitable<std::vector<shelved_task>> board::find(std::vector<task_id> ids) {
    co_return co_await patiently([&]() -> awaitable<std::vector<shelved_task>> {
        sql::pool::loan on{*pool_, co_await connection()};
        const auto where = co_await locate(on, ids);
        auto all = co_await rows_of(on, "find", where);
        on.clean = true;
        co_return all;
    });
}

awaitable<std::vector<shelved_task>> board::page(bool newest_first, row_place behind, std::size_t limit) {
    co_return co_await patiently([&]() -> awaitable<std::vector<shelved_task>> {
        sql::pool::loan on{*pool_, co_await connection()};
        auto all = co_await days(on);
        if (newest_first) std::ranges::reverse(all);
        std::vector<shelved_task> got;
        for (const auto day : all) {
            const auto start = shelf_day(time_point{duration{behind.due}});
            if (got.size() == limit || (newest_first ? day > start : day < start)) continue;
            const auto order = columns_.order(day, behind.due, behind.id);
            const auto rows = co_await on.run(texts_.text(newest_first ? "before" : "after", {.day = day}),
                                              row_with(order, order, bytes_of(behind.id),
                                                       static_cast<std::int64_t>(limit - got.size())));
            append_tasks(got, rows);
        }
        on.clean = true;
        co_return got;
    });
}

awaitable<shelf_state> board::look() {
    shelf_state seen{.shown_url = shown_url()};
    const auto all = co_await patiently([this]() -> awaitable<std::vector<std::int64_t>> {
        sql::pool::loan on{*pool_, co_await connection()};
        auto found = co_await days(on);
        on.clean = true;
        co_return found;
    });
    for (const auto day : all) {
        const auto one = co_await patiently([&] { return count_of(day); }, time_to_count);
        if (one.rows == 0) continue;
        seen.days.emplace_back(day, one.rows);
        if (!seen.next_due) seen.next_due = one.first;
    }
    co_return seen;
}

awaitable<board::day_count> board::count_of(std::int64_t day) {
    sql::pool::loan on{*pool_, co_await connection()};
    const auto got = co_await on.run(texts_.text("count", {.day = day}));
    on.clean = true;
    day_count one{.rows = static_cast<std::size_t>(number_of(got.rows.at(0), 0))};
    if (one.rows > 0) one.first = time_of(got.rows[0], 1);
    co_return one;
}

}  // namespace errand::shelf
