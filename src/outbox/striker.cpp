#include "outbox/striker.hpp"

#include <errand/error.hpp>

#include "runtime/app_core.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <span>

namespace errand::detail {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto gathers_for = 250ms;
constexpr std::size_t rows_per_strike = 1000;
// The relay delivers the others again, which changes nothing, and strikes them off.
constexpr std::size_t most_kept = 10'000;
constexpr auto pause_after_failure = 1s;
constexpr std::size_t most_to_forget = 100'000;
// For an answer that changes nothing here.
constexpr auto strike_patience = 2s;

struct forgetting {
    explicit forgetting(const asio::any_io_executor& executor) : over{executor} {}
    asio::steady_timer over;
    bool ended = false;
};

awaitable<void> tell_store(loop& there, std::shared_ptr<database_core>, std::vector<delivered_task> tasks,
                           std::shared_ptr<forgetting> of) {
    try {
        co_await there.tasks().forget(tasks);
    } catch (const std::exception&) {
        // It remembers them for longer than it needs to.
    }
    of->ended = true;
    of->over.cancel();
}

}  // namespace

awaitable<bool> forget(loop& there, std::shared_ptr<database_core> on, std::vector<delivered_task> tasks) {
    const auto of = std::make_shared<forgetting>(there.executor());
    of->over.expires_after(strike_patience);
    asio::co_spawn(there.executor(), tell_store(there, std::move(on), std::move(tasks), of), asio::detached);
    if (!of->ended) co_await of->over.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return of->ended;
}

striker::striker(database_core& on, loop& there, std::function<void()> rested)
    : of_{on}, there_{there}, rested_{std::move(rested)} {}

void striker::add(std::shared_ptr<database_core> on, const std::vector<outbox_entry>& delivered) {
    for (const auto& entry : delivered) {
        outbox_entry row;
        row.batch = entry.batch;
        row.place = entry.place;
        row.item.id = entry.item.id;
        row.life = entry.life;
        row.made = entry.made;
        delivered_.push_back(std::move(row));
    }
    if (!delivered_.empty() && !std::exchange(busy_, true))
        asio::co_spawn(there_.executor(), run(std::move(on)), asio::detached);  // throws nothing
}

void striker::hurry() {
    hurry_ = true;
    if (gathers_) gathers_->cancel();
}

awaitable<void> striker::run(std::shared_ptr<database_core>) {
    while (!delivered_.empty()) {
        if (delivered_.size() < rows_per_strike) co_await gather();
        bool failed = false;
        try {
            co_await strike_some();
        } catch (const std::exception& e) {
            failed = true;
            of_.app().log->warn("{}what was delivered from {} is not struck off its outbox yet: {}",
                                of_.app().label(), of_.shown_url(), e.what());
        }
        if (failed && hurry_) break;
        if (failed) {
            asio::steady_timer pause{co_await asio::this_coro::executor, pause_after_failure};
            co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        if (failed && delivered_.size() > most_kept)
            delivered_.erase(delivered_.begin(), delivered_.end() - static_cast<std::ptrdiff_t>(most_kept));
    }
    busy_ = false;
    rested_();
}

awaitable<void> striker::gather() {
    if (hurry_) co_return;
    asio::steady_timer timer{co_await asio::this_coro::executor, gathers_for};
    gathers_ = &timer;
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    gathers_ = nullptr;
}

awaitable<void> striker::strike_some() {
    const auto count = std::min(delivered_.size(), rows_per_strike);
    const auto rows = std::span{delivered_}.first(count);
    auto tasks = delivered_tasks(rows);
    co_await of_.run_alone(of_.statements()["outbox.strike"], {places_of(rows), of_.name_space()});
    of_.app().events.publish({.kind = event_kind::commit_step, .text = "struck"});
    // What is older a relay may have read before; it may be on its way once more.
    const auto first = static_cast<std::ptrdiff_t>(count);
    const bool own = std::all_of(delivered_.begin(), delivered_.begin() + first,
                                 [](const outbox_entry& row) { return is_own(row.made); });
    delivered_.erase(delivered_.begin(), delivered_.begin() + first);
    if (own) {
        co_await forget(there_, of_.shared_from_this(), std::move(tasks));
    } else {
        forget_later(std::move(tasks));
    }
    co_await forget_what_is_due();
}

void striker::forget_later(std::vector<delivered_task> tasks) {
    if (tasks.empty()) return;
    // A relay's call is made for so long after its rows were read, and its last part may take as long to arrive.
    const auto until =
        std::chrono::steady_clock::now() + 3 * of_.app().settings.store_timeout + 3 * strike_patience;
    to_forget_ += tasks.size();
    later_.push_back({until, std::move(tasks)});
    while (to_forget_ > most_to_forget) {
        to_forget_ -= later_.front().tasks.size();
        later_.pop_front();
    }
}

awaitable<void> striker::forget_what_is_due() {
    while (!later_.empty() && later_.front().until <= std::chrono::steady_clock::now()) {
        auto tasks = std::move(later_.front().tasks);
        later_.pop_front();
        to_forget_ -= tasks.size();
        // The others wait until their shard is back, or are kept for longer.
        if (!co_await forget(there_, of_.shared_from_this(), std::move(tasks))) co_return;
    }
}

}  // namespace errand::detail
