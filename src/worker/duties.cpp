#include "worker/duties.hpp"

#include "worker/adopter.hpp"
#include "worker/figures_sender.hpp"
#include "worker/heartbeat.hpp"
#include "worker/janitor.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/lender.hpp"
#include "worker/limits_watch.hpp"
#include "worker/outbox_relay.hpp"
#include "worker/promoter.hpp"
#include "worker/recoverer.hpp"
#include "worker/resolver.hpp"
#include "worker/scheduler.hpp"
#include "worker/shelver.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand {

namespace asio = boost::asio;

duties::duties(worker_shared& shared, loop& on, std::vector<station*> stations,
               std::function<std::vector<std::string>()> blocking)
    : shared_{shared}, home_{on}, stations_{std::move(stations)}, blocking_{std::move(blocking)} {}

duties::~duties() = default;

void duties::begin() {
    const auto executor = home_.executor();
    auto& app = shared_.app;
    auto& tasks = home_.tasks();
    auto running = [this] {
        std::size_t count = 0;
        for (const auto* one : stations_) count += one->running();
        return count;
    };
    auto promotes = std::make_unique<promoter>(shared_, executor, tasks);
    promoter_ = promotes.get();
    auto resolves = std::make_unique<resolver>(shared_, executor, tasks);
    resolver_ = resolves.get();
    auto schedules = std::make_unique<scheduler>(shared_, executor, home_);
    scheduler_ = schedules.get();
    auto beats = std::make_unique<heartbeat>(shared_, executor, tasks, std::move(running), blocking_);
    heartbeat_ = beats.get();
    // The number of workers first: the others pace themselves by it.
    roles_.push_back(std::move(beats));
    roles_.push_back(std::make_unique<lease_keeper>(app, executor, tasks, stations_));
    roles_.push_back(std::move(promotes));
    roles_.push_back(std::move(resolves));
    roles_.push_back(std::move(schedules));
    auto recovers = std::make_unique<recoverer>(shared_, executor, tasks);
    recoverer_ = recovers.get();
    roles_.push_back(std::move(recovers));
    auto limits = std::make_unique<limits_watch>(shared_, executor, tasks);
    limits_watch_ = limits.get();
    roles_.push_back(std::move(limits));
    auto late = std::make_unique<late_start>(app, executor);
    late_start_ = late.get();
    roles_.push_back(std::move(late));
    roles_.push_back(std::make_unique<lender>(shared_, executor, tasks));
    roles_.push_back(std::make_unique<aside_watch>(shared_, executor, tasks, [this] { stands_aside(); }));
    roles_.push_back(std::make_unique<janitor>(shared_, executor, tasks));
    roles_.push_back(std::make_unique<outbox_relay>(shared_, executor));
    if (!app.settings.shelf.empty()) roles_.push_back(std::make_unique<shelver>(shared_, executor));
    auto figures = std::make_unique<figures_sender>(app, executor, tasks, stations_, *recoverer_);
    figures_sender_ = figures.get();
    roles_.push_back(std::move(figures));
    for (const auto& duty : roles_) asio::co_spawn(executor, duty->run(), asio::detached);  // throws nothing
    home_.worker_listens(this);
    taken_ = shared_.takes();
    // Else a worker of this app may hear it, now or later; what follows from it is found by looking.
    if (!shared_.runs_tasks) return;
    app.overrides.tell([this] { asio::post(home_.context(), [this] { settings_are_new(); }); });
}

// Others are told by its card for whom tasks stand aside; those of a handler that is no longer paused stand there already.
void duties::settings_are_new() {
    auto takes = shared_.takes();
    if (takes == taken_) return;
    const bool more = std::ranges::any_of(takes, [this](const auto& name) {
        return std::ranges::find(taken_, name) == taken_.end();
    });
    taken_ = std::move(takes);
    heartbeat_->no_later_than(std::chrono::steady_clock::now());
    if (more) stands_aside();
}

awaitable<bool> duties::ends_within(awaitable<void> call, std::chrono::seconds most) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer enough{home_.executor(), most};
    try {
        const auto first = co_await (std::move(call) || enough.async_wait(asio::use_awaitable));
        co_return first.index() == 0;
    } catch (...) {
        co_return false;
    }
}

awaitable<void> duties::leave() {
    for (const auto& duty : roles_) duty->stop();
    // Only a courtesy to others, not to be waited for when the store is away.
    const auto queues = shared_.looks_after();
    auto leaves = home_.tasks().leave(queues);
    const bool is_there = co_await ends_within(std::move(leaves), std::chrono::seconds{1});
    // One that is only slow gets them yet.
    if (figures_sender_)
        co_await ends_within(figures_sender_->last_pass(), std::chrono::seconds{is_there ? 10 : 3});
}

// A connection was made again, or a shard that was away has answered.
void duties::woken() {
    promoter_->no_later_than(std::chrono::steady_clock::now());
    recoverer_->no_later_than(std::chrono::steady_clock::now());
    late_start_->no_later_than(std::chrono::steady_clock::now());
}

void duties::schedules_changed() { scheduler_->no_later_than(std::chrono::steady_clock::now()); }

void duties::limits_may_be_lost() { limits_watch_->no_later_than(std::chrono::steady_clock::now()); }

void duties::news_came() { resolver_->no_later_than(std::chrono::steady_clock::now()); }

void duties::stands_aside() {
    for (auto* one : stations_) one->told_aside();
    if (shared_.others_may_adopt) shared_.others_may_adopt();
}

void duties::hear_no_more() {
    if (shared_.runs_tasks) shared_.app.overrides.tell(nullptr);
}

void duties::close() {
    home_.worker_listens(nullptr);
    for (const auto& duty : roles_) duty->stop();
}

void duties::stopping() {
    shared_.stopping = true;
    asio::post(home_.context(), [this] {
        if (heartbeat_) heartbeat_->no_later_than(std::chrono::steady_clock::now());
    });
}

void duties::lease_ends(duration in) {
    asio::post(home_.context(), [this, at = std::chrono::steady_clock::now() + in] {
        if (recoverer_) recoverer_->no_later_than(at);
    });
}

void duties::has_more_to_do() {
    asio::post(home_.context(), [this] {
        const auto now = std::chrono::steady_clock::now();
        if (heartbeat_) heartbeat_->no_later_than(now);
        if (promoter_) promoter_->no_later_than(now);
    });
}

void duties::falls_due(duration in) {
    asio::post(home_.context(), [this, at = std::chrono::steady_clock::now() + in] {
        if (promoter_) promoter_->no_later_than(at);
    });
}

}  // namespace errand
