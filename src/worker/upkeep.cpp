#include "worker/upkeep.hpp"

#include "worker/aside_watch.hpp"
#include "worker/heartbeat.hpp"
#include "worker/janitor.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/loop_watch.hpp"
#include "worker/promoter.hpp"
#include "worker/recoverer.hpp"
#include "worker/relay.hpp"
#include "worker/resolver.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand {

namespace asio = boost::asio;

upkeep::upkeep(worker_frame& frame, std::span<const std::unique_ptr<crew>> crews)
    : frame_{frame}, crews_{crews}, thread_{frame.app} {}

upkeep::~upkeep() { close(); }

awaitable<void> upkeep::open() {
    auto& home = thread_.home();
    co_await home.ready();
    const auto executor = home.executor();
    auto& app = frame_.app;
    auto& tasks = home.tasks();
    auto running = [crews = crews_] {
        std::size_t count = 0;
        for (const auto& one : crews) count += one->running();
        return count;
    };
    auto promotes = std::make_unique<promoter>(frame_, executor, tasks);
    promoter_ = promotes.get();
    auto resolves = std::make_unique<resolver>(frame_, executor, tasks);
    resolver_ = resolves.get();
    auto beats = std::make_unique<heartbeat>(frame_, executor, tasks, std::move(running));
    heartbeat_ = beats.get();
    // The number of workers first: the others pace themselves by it.
    roles_.push_back(std::move(beats));
    roles_.push_back(std::make_unique<lease_keeper>(app, executor, tasks, crews_));
    roles_.push_back(std::move(promotes));
    roles_.push_back(std::move(resolves));
    auto recovers = std::make_unique<recoverer>(frame_, executor, tasks);
    recoverer_ = recovers.get();
    roles_.push_back(std::move(recovers));
    roles_.push_back(std::make_unique<aside_watch>(frame_, executor, tasks, [this] { stands_aside(); }));
    roles_.push_back(std::make_unique<janitor>(frame_, executor, tasks));
    roles_.push_back(std::make_unique<relay>(frame_, executor));
    roles_.push_back(std::make_unique<loop_watch>(app, executor, crews_));
    for (const auto& one : roles_) asio::co_spawn(executor, one->run(), asio::detached);  // throws nothing
    home.worker_listens(this);
}

awaitable<void> upkeep::leave() {
    using namespace asio::experimental::awaitable_operators;
    for (const auto& one : roles_) one->stop();
    // Only a courtesy to others, not to be waited for when the store is away.
    asio::steady_timer enough{thread_.home().executor(), std::chrono::seconds{1}};
    try {
        co_await (thread_.home().tasks().leave(frame_.queues.names()) ||
                  enough.async_wait(asio::use_awaitable));
    } catch (...) {
    }
}

// A connection was made again, or a shard that was away has answered.
void upkeep::woken() {
    promoter_->no_later_than(std::chrono::steady_clock::now());
    recoverer_->no_later_than(std::chrono::steady_clock::now());
}

void upkeep::news_came() { resolver_->no_later_than(std::chrono::steady_clock::now()); }

void upkeep::stands_aside() {
    for (const auto& one : crews_) one->told_aside();
}

void upkeep::close() {
    thread_.close([this] {
        home().worker_listens(nullptr);
        for (const auto& one : roles_) one->stop();
    });
}

void upkeep::stopping() {
    frame_.stopping = true;
    asio::post(thread_.home().context(), [this] {
        if (heartbeat_) heartbeat_->no_later_than(std::chrono::steady_clock::now());
    });
}

void upkeep::falls_due(duration in) {
    asio::post(thread_.home().context(), [this, at = std::chrono::steady_clock::now() + in] {
        if (promoter_) promoter_->no_later_than(at);
    });
}

}  // namespace errand
