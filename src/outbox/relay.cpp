// What transactions have committed and nobody has delivered, because its process died or the store was away: it is found in
// the outbox, delivered and struck off.
#include <errand/error.hpp>

#include "outbox/courier.hpp"
#include "outbox/database_core.hpp"
#include "outbox/relay_calls.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/logger.h>

namespace errand::detail {

namespace {

constexpr std::int64_t rows_per_page = 200;
// Nobody knows any more whether an older one was delivered.
constexpr duration most_age = store::remembers_for - std::chrono::days{10};

// What a schedule is known to have been declared by: the record of a cancelled one is kept for a month.
constexpr duration most_age_of_schedule = std::chrono::days{20};

outbox_place place_of_row(const std::vector<sql::value>& columns) {
    const auto* batch = std::get_if<std::string>(&columns.at(0));
    const auto* place = std::get_if<std::int64_t>(&columns.at(1));
    if (!batch || !place) throw bad_data{"errand_outbox has columns batch and place of other types"};
    return {*batch, *place};
}

}  // namespace

// Rows that cannot be delivered stay where they are, for somebody to look at them.
std::vector<outbox_entry> database_core::readable(const sql::result& rows) {
    std::vector<outbox_entry> all;
    const auto by = seals();
    for (const auto& columns : rows.rows) {
        try {
            auto row = read_row(columns);
            if (by) open_entry(row, *by);
            if (row.age > (row.schedule.empty() ? most_age : most_age_of_schedule)) {
                throw bad_data{"errand_outbox, batch " + row.batch + ", place " + std::to_string(row.place) +
                               ": the row is older than the store remembers deliveries: whether it was "
                               "delivered is not known; submit or declare it anew, or delete the row"};
            }
            all.push_back(std::move(row));
        } catch (const bad_data& e) {
            complain(e.what());
        }
    }
    return all;
}

void database_core::complain(const std::string& why) {
    if (complained_.exchange(true)) return;
    app_.log->error("{}{}: {}", app_.label(), shown_url(), why);
    app_.events.publish({.kind = event_kind::failure, .text = why});
}

awaitable<database_core::page_of_rows> database_core::relay_page(boost::asio::io_context& place,
                                                                 outbox_place after,
                                                                 std::shared_ptr<relay_pass> of) {
    sql::pool::loan on{*pool_, co_await pool_->take(place)};
    if (dialect_.locks_rows) {
        if (!dialect_.isolate.empty()) co_await on.run(dialect_.isolate);
        co_await on.run(dialect_.begin);
    }
    // Younger rows are on their way by the process that committed them.
    const auto found =
        co_await on.run(statements_["outbox.take"], {name_space(), std::int64_t{left_behind_after.count()},
                                                     after.batch, after.batch, after.place, rows_per_page});
    page_of_rows page{.rows = static_cast<std::int64_t>(found.rows.size())};
    if (!found.rows.empty()) page.last = place_of_row(found.rows.back());
    auto entries = readable(found);
    if (!entries.empty()) {
        try {
            entries = co_await on_loop(app_.background(), [&](loop&) {
                return relay_calls_->bring(shared_from_this(), std::move(entries), of);
            });
        } catch (const store_error&) {  // it is not open yet
            of->failure = std::current_exception();
            entries.clear();
        }
    }
    if (!entries.empty()) {
        courier_->counts.count_left(entries.size());
        co_await on.run(statements_["outbox.strike"], {places_of(entries), name_space()});
    }
    if (dialect_.locks_rows) co_await on.run(dialect_.commit);
    on.clean = true;
    if (!entries.empty()) {
        co_await on_loop(app_.background(), [&](loop&) -> awaitable<void> {
            courier_->forget_later(delivered_tasks(entries));
            co_return;
        });
    }
    page.delivered = static_cast<std::int64_t>(entries.size());
    co_return page;
}

// Behind rows that stay there may be some that can be delivered: those of a shard that is there.
awaitable<std::size_t> database_core::relay_all(boost::asio::io_context& place) {
    std::int64_t delivered = 0;
    outbox_place last;
    const auto pass = std::make_shared<relay_pass>();
    for (bool more = true; more;) {
        const auto page = co_await relay_page(place, last, pass);
        delivered += page.delivered;
        last = page.last;
        // What the quota keeps waits for the next pass.
        more = page.rows == rows_per_page && !pass->over_quota &&
               !(pass->failure && app_.background().tasks().shards() == 1);
    }
    if (courier_->has_to_forget() && !pass->failure)
        co_await on_loop(app_.background(), [this](loop&) { return courier_->forget_what_is_due(); });
    delivered += pass->delivered_late;
    if (pass->failure && delivered == 0) std::rethrow_exception(pass->failure);
    co_return static_cast<std::size_t>(delivered);
}

awaitable<std::size_t> database_core::deliver_left_behind() {
    auto& place = place_of(co_await boost::asio::this_coro::executor);
    co_return co_await run_at(place, [&] { return relay_all(place); });
}

}  // namespace errand::detail
