#include "runtime/loop.hpp"

#include "runtime/app_core.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

namespace errand {

namespace asio = boost::asio;

namespace {
store_settings settings_for(detail::app_core& app, std::string name, bool patient) {
    store_settings s;
    s.url = app.settings.store;
    s.name_space = app.settings.name_space;
    s.shards = static_cast<unsigned>(app.settings.shards);
    s.name = std::move(name);
    s.home = app.memory;
    s.clock = app.clock;
    s.threadless = app.threadless;
    if (patient) {
        s.patience = std::nullopt;
    } else {
        s.patience = app.settings.store_timeout;
    }
    s.trouble = [&app](std::string_view text) {
        app.log->warn("{}", text);
        app.events.publish({.kind = event_kind::store_trouble, .text = std::string{text}});
    };
    return s;
}
}  // namespace

loop::loop(detail::app_core& app, std::string name, bool patient)
    : store_{app.open_store(context_, settings_for(app, std::move(name), patient))},
      submissions_{context_.get_executor(), *store_,
                   patient ? std::nullopt : std::optional<duration>{app.settings.store_timeout}},
      results_{context_.get_executor(), *store_},
      opened_{context_, asio::steady_timer::time_point::max()} {
    store_->listen(this);
}

loop::~loop() { store_->listen(nullptr); }

awaitable<void> loop::ready() {
    while (state_ == opening::under_way) {
        co_await opened_.async_wait(asio::as_tuple(asio::use_awaitable));
        co_await asio::this_coro::throw_if_cancelled();
    }
    if (state_ == opening::open) co_return;
    state_ = opening::under_way;
    try {
        co_await store_->open();
        state_ = opening::open;
    } catch (...) {
        state_ = opening::closed;
        opened_.cancel();
        throw;
    }
    opened_.cancel();
}

void loop::close() {
    results_.close();
    submissions_.close();
    store_->close();
}

void loop::woken() {
    if (worker_) worker_->woken();
}

void loop::task_given(claimed_task task) {
    if (worker_) worker_->task_given(std::move(task));
}

void loop::news_came() {
    if (worker_) worker_->news_came();
}

void loop::task_cancelled(const task_id& id) {
    if (worker_) worker_->task_cancelled(id);
}

void loop::task_ended(const ended_task& task) { results_.ended(task); }

void loop::report_answered(const task_id& id, claim_number claim, report_verdict verdict) {
    if (worker_) worker_->report_answered(id, claim, verdict);
}

void loop::reconnected() {
    results_.reconnected();
    if (worker_) worker_->reconnected();
}

}  // namespace errand
