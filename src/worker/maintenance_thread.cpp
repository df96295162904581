#include "worker/maintenance_thread.hpp"

#include "runtime/ambient.hpp"
#include "worker/limits_watch.hpp"
#include "worker/reach.hpp"
#include "worker/side_by_side.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

// The limits before anything is claimed: what an earlier version allowed would be started.
awaitable<void> reach_and_declare(loop& there, worker_shared& shared) {
    co_await reach(there, shared.app);
    if (shared.limits_are_looked_at) co_return;
    shared.limits_are_looked_at = true;
    shared.limits_are_declared = co_await declare_limits_if_there(shared.app, there.tasks());
    if (!shared.limits_are_declared) shared.app.log->warn("{}{}", shared.app.label(), limits_stay);
}

}  // namespace

maintenance_thread::maintenance_thread(const worker_shares& served,
                                       std::span<const std::unique_ptr<worker_thread>> threads)
    : thread_{served.front()->app, loop_thread::for_duties},
      loops_{served.front()->app.own(), home().executor(), threads},
      lines_{served.front()->app.own(), home().executor()} {
    for (std::size_t at = 0; at < served.size(); ++at) {
        loop& on = at == 0 ? home() : thread_.add(served[at]->app);
        std::vector<station*> stations;
        for (const auto& thread : threads) stations.push_back(&thread->serving(at));
        auto blocking = [this, &app = served[at]->app] { return loops_.blocking(app); };
        auto& one = duties_.emplace_back(*served[at], on, std::move(stations), std::move(blocking));
        served[at]->falls_due = [&one](duration in) { one.falls_due(in); };
        served[at]->claims_no_more = [&one] { one.stopping(); };
    }
}

maintenance_thread::~maintenance_thread() { close(); }

awaitable<void> maintenance_thread::connect() {
    std::vector<awaitable<void>> all;
    for (auto& one : duties_) all.push_back(reach_and_declare(one.home(), one.shared()));
    co_await side_by_side(home().executor(), std::move(all));
}

void maintenance_thread::begin() {
    for (auto& one : duties_) one.begin();
    for (role* one : watches())
        asio::co_spawn(home().executor(), one->run(), asio::detached);  // throws nothing
}

// All at the same time: each waits for its store for a while.
awaitable<void> maintenance_thread::leave() {
    for (role* one : watches()) one->stop();
    std::size_t left = 0;
    async_gate gone{home().executor()};
    for (auto& one : duties_) {
        asio::co_spawn(home().executor(), one.leave(), [&](const std::exception_ptr&) {
            ++left;
            gone.open();
        });
    }
    while (left < duties_.size()) co_await gone.wait();
}

awaitable<void> maintenance_thread::in_each(late_work what) {
    for (auto& one : duties_) {
        auto& app = one.shared().app;
        auto around = std::make_shared<ambient>(ambient{.app = &app, .home = &one.home()});
        const bool done = co_await asio::co_spawn(with_ambient(one.home().executor(), std::move(around)),
                                                  what(app), asio::use_awaitable);
        if (!done) co_await make_good(app, what);
    }
}

awaitable<void> maintenance_thread::make_good(detail::app_core& of, late_work what) {
    const auto at = std::ranges::find_if(duties_, [&](auto& one) { return &one.shared().app == &of; });
    if (at == duties_.end()) co_return;
    const auto take = [at, &what]() -> awaitable<void> {
        at->make_good(std::move(what));
        co_return;
    };
    co_await asio::co_spawn(at->home().executor(), take(), asio::use_awaitable);
}

void maintenance_thread::close() {
    for (auto& one : duties_) one.hear_no_more();
    thread_.close([this] {
        for (auto& one : duties_) one.close();
        for (role* one : watches()) one->stop();
    });
}

}  // namespace errand
