#include "runtime/loop.hpp"

#include <errand/error.hpp>

#include "runtime/app_core.hpp"
#include "runtime/process_meter.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

// Until what is set of handlers is asked for again of a store that has not said it: at first, and at most.
constexpr std::chrono::milliseconds before_asking_again{250};
constexpr std::chrono::milliseconds longest_before_asking{4000};

std::optional<duration> patience_of(const detail::app_core& app, bool patient) {
    return patient ? std::nullopt : std::optional<duration>{app.settings.store_timeout};
}

// In the log and as an event.
std::function<void(std::string_view)> trouble_of(detail::app_core& app) {
    return [&app](std::string_view text) {
        app.log->warn("{}{}", app.label(), text);
        app.events.publish({.kind = event_kind::store_trouble, .text = std::string{text}});
    };
}

}  // namespace

store_settings settings_of_store(detail::app_core& app, std::string name, bool patient) {
    store_settings s;
    s.url = app.settings.store;
    s.name_space = app.settings.name_space;
    s.shards = static_cast<unsigned>(app.settings.shards);
    s.name = std::move(name);
    s.home = app.memory;
    s.clock = app.clock;
    s.threadless = app.threadless;
    s.patience = patience_of(app, patient);
    s.observer = app.meter.observer();
    s.seals = app.seals_in_use();
    s.shelf = app.settings.shelf;
    s.shelf_ahead = app.settings.shelf_ahead;
    s.shelf_home = app.shelf;
    s.trouble = trouble_of(app);
    return s;
}

loop::loop(detail::app_core& app, std::string name, bool patient)
    : loop{app, std::move(name), patient, std::make_unique<asio::io_context>(1), nullptr} {}

loop::loop(detail::app_core& app, std::string name, bool patient, asio::io_context& on)
    : loop{app, std::move(name), patient, nullptr, &on} {}

loop::loop(detail::app_core& app, std::string name, bool patient, std::unique_ptr<asio::io_context> own,
           asio::io_context* on)
    : own_{std::move(own)},
      context_{on ? *on : *own_},
      app_{app},
      store_{app.open_store(context_, settings_of_store(app, std::move(name), patient))},
      submissions_{context_.get_executor(), *store_, patience_of(app, patient)},
      results_{context_.get_executor(), *store_, patience_of(app, patient)},
      quotas_{context_.get_executor(),   *store_,        app.overrides, app.threadless,
              patience_of(app, patient), trouble_of(app)},
      opened_{context_, asio::steady_timer::time_point::max()},
      asks_again_{context_} {
    store_->listen(this);
}

loop::~loop() { store_->listen(nullptr); }

awaitable<void> loop::ready() {
    const auto asked = steady::now();
    while (state_ == opening::under_way) {
        co_await opened_.async_wait(asio::as_tuple(asio::use_awaitable));
        co_await asio::this_coro::throw_if_cancelled();
    }
    if (state_ == opening::open) co_return;
    // Many who came while somebody else tried are not to try one after the other.
    if (steady::now() - asked >= app_.settings.store_timeout / 2) {
        throw store_error{
            "the store did not open in time, and others had tried before this call; nothing was done"};
    }
    state_ = opening::under_way;
    try {
        co_await store_->open();
        if (store_->any_settings()) co_await learn_settings();
        state_ = opening::open;
    } catch (...) {
        state_ = opening::closed;
        opened_.cancel();
        throw;
    }
    opened_.cancel();
}

void loop::close() {
    closed_ = true;
    asks_again_.cancel();
    results_.close();
    submissions_.close();
    store_->close();
}

// ---- what is set of handlers -----------------------------------------------------------------------

awaitable<void> loop::learn_settings() {
    const auto question = app_.overrides.ask();
    app_.overrides.heard(question, co_await store_->settings());
}

// A change is told once: until the store has said what it is now nobody else asks, and a token that was revoked would let in.
awaitable<void> loop::keep_learning() {
    auto pause = before_asking_again;
    while (std::exchange(learn_again_, false)) {
        bool whole = false;
        try {
            const auto question = app_.overrides.ask();
            auto answer = co_await store_->settings();
            whole = std::ranges::all_of(answer, [](const auto& shard) { return shard.has_value(); });
            app_.overrides.heard(question, std::move(answer));
        } catch (...) {
            // It is away, or cannot say it now.
        }
        // Where calls are made by hand nothing happens by itself.
        if (whole || closed_ || app_.threadless) continue;
        learn_again_ = true;
        asks_again_.expires_after(pause);
        co_await asks_again_.async_wait(asio::as_tuple(asio::use_awaitable));
        pause = std::min(2 * pause, longest_before_asking);
    }
    learning_ = false;
}

void loop::settings_changed() {
    learn_again_ = true;
    if (!std::exchange(learning_, true)) {
        asio::co_spawn(context_, keep_learning(), asio::detached);
    } else {
        asks_again_.cancel();
    }
}

// ---- what the store tells --------------------------------------------------------------------------

void loop::woken() {
    if (worker_) worker_->woken();
}

void loop::task_given(claimed_task task) {
    if (worker_) worker_->task_given(std::move(task));
}

void loop::stands_aside() {
    if (worker_) worker_->stands_aside();
}

void loop::schedules_changed() {
    if (worker_) worker_->schedules_changed();
}

void loop::news_came() {
    if (worker_) worker_->news_came();
}

void loop::task_cancelled(const task_id& id) {
    if (worker_) worker_->task_cancelled(id);
}

void loop::may_go_on(const task_id& id) {
    if (worker_) worker_->may_go_on(id);
}

void loop::task_ended(const ended_task& task) { results_.ended(task); }

void loop::report_answered(const task_id& id, claim_number claim, report_verdict verdict) {
    if (worker_) worker_->report_answered(id, claim, verdict);
}

void loop::reconnected() {
    results_.reconnected();
    if (worker_) worker_->reconnected();
    settings_changed();
}

}  // namespace errand
