#include "worker/maintenance_thread.hpp"

#include <errand/error.hpp>

#include "runtime/ambient.hpp"
#include "worker/limits_watch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

// Says of several namespaces which one cannot be served.
awaitable<void> reach(loop& there, const detail::app_core& app) {
    try {
        co_await there.ready();
    } catch (const usage_error& e) {
        if (!app.serves_several()) throw;
        throw usage_error{app.label() + e.what()};
    } catch (const store_error& e) {
        if (!app.serves_several()) throw;
        throw store_error{app.label() + e.what()};
    }
}

}  // namespace

maintenance_thread::maintenance_thread(const worker_shares& served,
                                       std::span<const std::unique_ptr<worker_thread>> threads)
    : thread_{served.front()->app},
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

awaitable<void> maintenance_thread::open() {
    for (auto& one : duties_) {
        auto& shared = one.shared();
        co_await reach(one.home(), shared.app);
        // Before anything is claimed: what an earlier version allowed would be started.
        if (!shared.limits_are_looked_at) {
            shared.limits_are_looked_at = true;
            shared.limits_are_declared = co_await declare_limits_if_there(shared.app, one.home().tasks());
            if (!shared.limits_are_declared) shared.app.log->warn("{}{}", shared.app.label(), limits_stay);
        }
    }
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

awaitable<void> maintenance_thread::in_each(std::function<awaitable<void>(detail::app_core&)> what) {
    for (auto& one : duties_) {
        auto& app = one.shared().app;
        auto around = std::make_shared<ambient>(ambient{.app = &app, .home = &one.home()});
        co_await asio::co_spawn(with_ambient(one.home().executor(), std::move(around)), what(app),
                                asio::use_awaitable);
    }
}

void maintenance_thread::close() {
    for (auto& one : duties_) one.hear_no_more();
    thread_.close([this] {
        for (auto& one : duties_) one.close();
        for (role* one : watches()) one->stop();
    });
}

}  // namespace errand
