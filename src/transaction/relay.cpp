// The outbox's and the inbox's upkeep: what was left behind is delivered, what is not needed any more is dropped.
#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"
#include "transaction/courier.hpp"
#include "transaction/database_core.hpp"
#include "transaction/outbox_rows.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/logger.h>

namespace errand::detail {

namespace {

// Younger rows are on their way by the process that committed them.
constexpr std::int64_t left_behind_after = 5000;  // ms
constexpr std::int64_t most_rows = 200;
// Nobody knows any more whether an older one was delivered.
constexpr duration most_age = store::remembers_for - std::chrono::days{10};
constexpr std::int64_t most_effects = 100;
constexpr std::int64_t day = 86'400'000;  // ms

// What is known of a connection is only that it went well.
class borrowed {
public:
    borrowed(sql::pool& of, sql::pool::connection one) : of_{of}, one_{std::move(one)} {}
    ~borrowed() { of_.give_back(std::move(one_), clean); }
    borrowed(const borrowed&) = delete;
    borrowed& operator=(const borrowed&) = delete;

    awaitable<sql::result> run(std::string statement, std::vector<sql::value> values = {}) {
        return one_.in->run(std::move(statement), std::move(values));
    }

    bool clean = false;

private:
    sql::pool& of_;
    sql::pool::connection one_;
};

std::string names_of(const std::vector<delivered_task>& tasks) {
    std::string all;
    for (const auto& one : tasks) {
        all += all.empty() ? "[" : ",";
        all += "[\"" + to_text(one.id) + "\"," + std::to_string(one.life) + "]";
    }
    return all + "]";
}

// Also what has ended otherwise than by success: as long as it is kept, it may be revived.
awaitable<std::vector<delivered_task>> able_to_run(loop& there, std::vector<delivered_task> asked) {
    std::vector<delivered_task> able;
    for (const auto& one : asked) {
        const auto found = co_await there.tasks().find(one.id);
        const bool kept = found && incarnation_of(found->body) == one.life;
        if (kept && found->where != state::success) able.push_back(one);
    }
    co_return able;
}

awaitable<std::vector<delivered_item>> bring(loop&, courier& by, std::vector<submission_item> items) {
    co_return co_await by.bring(std::move(items));
}

awaitable<void> forget(loop& there, std::vector<delivered_task> tasks) {
    co_await there.tasks().forget(tasks);
}

}  // namespace

// Rows that cannot be delivered stay where they are, for somebody to look at them.
std::vector<outbox_row> database_core::readable(const sql::result& rows) {
    std::vector<outbox_row> all;
    for (const auto& columns : rows.rows) {
        try {
            auto row = read_row(columns);
            if (row.age > most_age) {
                throw bad_data{"errand_outbox, batch " + row.batch + ", place " + std::to_string(row.place) +
                               ": the row is older than the store remembers deliveries: whether the task was "
                               "delivered is not known; submit it anew or delete the row"};
            }
            all.push_back(std::move(row));
        } catch (const bad_data& e) {
            if (complained_.exchange(true)) continue;
            app_.log->error("{}: {}", shown_url(), e.what());
            app_.events.publish({.kind = event_kind::failure, .text = e.what()});
        }
    }
    return all;
}

awaitable<std::size_t> database_core::relay_some(boost::asio::io_context& place) {
    borrowed with{*pool_, co_await pool_->take(place)};
    const bool locks = statements_.locks_rows();
    if (locks) {
        co_await with.run(statements_["life.isolate"]);
        co_await with.run(statements_["life.begin"]);
    }
    const auto found =
        co_await with.run(statements_["outbox.take"], {name_space(), left_behind_after, most_rows});
    auto rows = readable(found);
    std::vector<delivered_task> tasks;
    if (!rows.empty()) {
        std::vector<submission_item> items;
        for (const auto& row : rows) {
            items.push_back(row.item);
            tasks.push_back({row.item.id, incarnation_of(row.item.body)});
        }
        co_await on_loop(app_.background(),
                         [&](loop& there) { return bring(there, *courier_, std::move(items)); });
        courier_->book.count_left(rows.size());
        co_await with.run(statements_["outbox.strike"], {places_of(rows).json(), name_space()});
    }
    if (locks) co_await with.run(statements_["life.commit"]);
    with.clean = true;
    if (!tasks.empty())
        co_await on_loop(app_.background(), [&](loop& there) { return forget(there, std::move(tasks)); });
    co_return rows.size();
}

awaitable<std::size_t> database_core::deliver_left_behind() {
    auto& place = place_of(co_await boost::asio::this_coro::executor);
    co_return co_await run_at(place, [&] { return relay_some(place); });
}

awaitable<std::size_t> database_core::clean_effects() {
    const auto over = co_await run_alone(statements_["inbox.over"], {name_space(), most_effects});
    std::vector<delivered_task> asked;
    for (const auto& [id, life] : rows_in<std::pair<std::string, std::uint64_t>>(over)) {
        if (const auto parsed = parse_task_id(id)) asked.push_back({*parsed, life});
    }
    if (asked.empty()) co_return 0;
    const auto looked_at = asked.size();
    const auto able =
        co_await on_loop(app_.background(), [&](loop& there) { return able_to_run(there, asked); });
    // A task that can still run may ask again.
    if (!able.empty()) co_await run_alone(statements_["inbox.put_off"], {day, name_space(), names_of(able)});
    std::erase_if(asked, [&](const delivered_task& one) {
        return std::ranges::any_of(able, [&](const auto& other) {
            return other.id == one.id && other.life == one.life;
        });
    });
    if (!asked.empty()) co_await run_alone(statements_["inbox.drop"], {name_space(), names_of(asked)});
    co_return looked_at;
}

}  // namespace errand::detail
