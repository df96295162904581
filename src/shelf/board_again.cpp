// What may be put on the shelf again, as the lines of an import are when nobody knows whether they were sent: that they were there is
// known until they are forgotten, whatever has become of them.
#include "core/record.hpp"
#include "shelf/board.hpp"
#include "shelf/board_calls.hpp"
#include "shelf/rows.hpp"
#include "sql/dialect.hpp"

#include <algorithm>
#include <iterator>

namespace errand::shelf {

namespace {

constexpr std::size_t arrivals_per_statement = 500;

time_point submitted_at(incarnation life) {
    return time_point{duration{static_cast<std::int64_t>(life >> 16U)}};
}

}  // namespace

awaitable<arrivals> board::arrived_on(sql::pool::loan& on, const std::vector<task_id>& ids) const {
    arrivals all;
    for (std::size_t from = 0; from < ids.size(); from += arrivals_per_statement) {
        auto values = values_of(space_, ids, from, arrivals_per_statement);
        const auto count = values.size() - 1;
        const auto got = co_await on.run(texts_.text("arrived", {.ids = count}), std::move(values));
        for (const auto& row : got.rows)
            all.emplace(id_of(row, 0), static_cast<std::uint64_t>(number_of(row, 1)));
    }
    co_return all;
}

// In the transaction in which they are put there: those that were there before. Where another one of the same is under way the
// database refuses this one, which is made again then.
awaitable<arrivals> board::arrive(sql::pool::loan& on, const std::vector<shelved_task>& tasks) const {
    std::vector<task_id> ids;
    for (const auto& one : tasks) {
        if (one.again) ids.push_back(one.id);
    }
    if (ids.empty()) co_return arrivals{};
    auto before = co_await arrived_on(on, ids);
    std::vector<sql::value> values;
    for (const auto& one : tasks) {
        if (!one.again || before.contains(arrival_of(one))) continue;
        const auto life = incarnation_of(one.body);
        values.insert(values.end(), {bytes_of(one.id.view()), space_, ms_of(submitted_at(life)),
                                     static_cast<std::int64_t>(life)});
    }
    co_await insert(on, "arrive", 0, 4, std::move(values));
    co_return before;
}

awaitable<arrivals> board::arrived(std::vector<task_id> ids) {
    co_return co_await patiently([&]() -> awaitable<arrivals> {
        sql::pool::loan on{*pool_, co_await connection()};
        auto all = co_await arrived_on(on, ids);
        on.clean = true;
        co_return all;
    });
}

// Of the same id another line may have come. The two conditions say together what pairs would, as no life is that of two lines of a page.
awaitable<void> board::forget_on(sql::pool::loan& on, const std::vector<arrival>& some) const {
    co_await begin(on);
    for (std::size_t from = 0; from < some.size(); from += arrivals_per_statement) {
        std::vector<sql::value> values{space_}, lives;
        for (std::size_t at = from; at < std::min(some.size(), from + arrivals_per_statement); ++at) {
            values.emplace_back(bytes_of(some[at].first.view()));
            lives.emplace_back(static_cast<std::int64_t>(some[at].second));
        }
        const auto count = lives.size();
        std::ranges::move(lives, std::back_inserter(values));
        co_await on.run(texts_.text("forget", {.ids = count}), std::move(values));
    }
    co_await on.run(dialect_.commit);
}

awaitable<std::size_t> board::forget(std::vector<arrival> some) {
    co_return co_await patiently([&]() -> awaitable<std::size_t> {
        sql::pool::loan on{*pool_, co_await connection()};
        co_await forget_on(on, some);
        on.clean = true;
        co_return some.size();
    });
}

awaitable<std::size_t> board::forget_old(time_point by, std::size_t limit) {
    co_return co_await patiently([&]() -> awaitable<std::size_t> {
        sql::pool::loan on{*pool_, co_await connection()};
        const auto got = co_await on.run(texts_.text("old_arrivals"),
                                         row_with(space_, ms_of(by), static_cast<std::int64_t>(limit)));
        std::vector<arrival> old;
        for (const auto& row : got.rows)
            old.emplace_back(id_of(row, 0), static_cast<std::uint64_t>(number_of(row, 1)));
        if (!old.empty()) co_await forget_on(on, old);
        on.clean = true;
        co_return old.size();
    });
}

}  // namespace errand::shelf
