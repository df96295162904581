#include "worker/worker.hpp"

#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"
#include "runtime/metrics_page.hpp"
#include "runtime/metrics_port.hpp"
#include "runtime/on_loop.hpp"
#include "runtime/process_meter.hpp"
#include "worker/announce.hpp"
#include "worker/blocking_pool.hpp"
#include "worker/introduction.hpp"
#include "worker/limits_watch.hpp"
#include "worker/maintenance_thread.hpp"
#include "worker/side_by_side.hpp"
#include "worker/worker_thread.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <string>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

// ---- what is looked at before it starts ----

void refuse_missing_beans(const detail::app_core& app) {
    std::vector<std::string> missing;
    for (const auto* handler : handlers::all()) {
        if (!handler->code) continue;
        for (auto& sentence : handler->code->missing(app.beans)) missing.push_back(std::move(sentence));
    }
    detail::refuse_missing(missing);
}

void refuse_failing_constructors(const detail::app_core& app) {
    std::string failed;
    for (const auto* handler : handlers::all()) {
        if (!handler->code) continue;
        try {
            handler->code->try_build(app.beans);
        } catch (...) {
            failed += (failed.empty() ? "" : "; ") + handler->name + ": " +
                      describe(std::current_exception()).message;
        }
    }
    if (!failed.empty()) throw usage_error{"handlers that cannot be built: " + failed};
}

// Throws one usage_error that names all beans that any handler misses, or every handler whose construction fails.
void check_handlers(const detail::app_core& app) {
    refuse_missing_beans(app);
    refuse_failing_constructors(app);
}

// The queues to serve: those of the configuration, else those of all handlers that this program can run.
queue_choice queues_of(const detail::app_core& app) {
    auto weights = app.settings.queues;
    if (weights.empty()) {
        for (const auto* handler : handlers::all()) {
            if (handler->code) weights.emplace(handler->policy.queue, 1);
        }
    }
    if (weights.empty()) {
        throw usage_error{
            "this program has nothing to work on: it defines no handler (ERRAND_HANDLER or "
            "ERRAND_DEFINE_HANDLER; handlers in a static library need errand_handlers(target) in CMake) and names no queues"};
    }
    return queue_choice{weights, app.settings.strict_queues};
}

// ---- its parts ----

std::size_t blocking_threads(const config& settings) {
    if (settings.blocking_threads > 0) return settings.blocking_threads;
    return std::max(std::thread::hardware_concurrency(), 1U);
}

awaitable<void> only_reach(loop&) { co_return; }

awaitable<void> on_its_thread(loop& there, awaitable<void> work) {
    return asio::co_spawn(there.executor(), std::move(work), asio::use_awaitable);
}

template <class Part>
awaitable<void> begin_on_its_loop(Part& part) {
    part.begin();
    co_return;
}

}  // namespace

struct worker::parts {
    explicit parts(detail::app_core& app) : pool{blocking_threads(app.settings)} {
        for (const auto& [core, weight] : app.served()) {
            served.push_back(std::make_unique<worker_shared>(*core, queues_of(app), pool.tasks()));
            served.back()->weight = weight;
            served.back()->awaiting = served.front()->awaiting;
        }
        const auto count = std::max<std::size_t>(app.settings.threads, 1);
        const auto all = std::max(app.settings.concurrency, count);
        for (std::size_t at = 0; at < count; ++at) {
            threads.push_back(std::make_unique<worker_thread>(served,
                                                              all / count + (at < all % count ? 1 : 0)));
        }
        maintenance = std::make_unique<maintenance_thread>(served, threads);
        slots = all;
    }

    // From any thread, while they stand.
    worker_gauges gauges() const {
        worker_gauges now{.slots = slots, .stopping = served.front()->stopping.load()};
        for (const auto& one : threads) {
            now.busy += one->running();
            now.reports += one->reports_pending();
        }
        // What waits for other tasks has given its slot away.
        now.busy -= std::min(now.busy, served.front()->awaiting->load());
        return now;
    }

    blocking_pool pool;
    worker_shares served;
    std::vector<std::unique_ptr<worker_thread>> threads;
    std::unique_ptr<maintenance_thread> maintenance;
    std::size_t slots = 0;
    std::unique_ptr<metrics_port> metrics;
};

worker::worker(detail::app_core& app) : app_{app} {}

worker::~worker() { take_apart(); }

// Impatiently, unlike the worker's own connections: who starts wants to hear that the store cannot be
// reached.
awaitable<void> worker::reach_store(loop& there, worker_shared* own) {
    // The limits of the others are declared on their own connections: nothing here has one.
    if (!own) {
        co_await on_loop(there, only_reach);
        co_return;
    }
    const auto declare = [this](loop& at) { return declare_limits_if_there(app_, at.tasks()); };
    own->limits_are_declared = co_await on_loop(there, declare);
    if (!own->limits_are_declared) app_.log->warn("{}{}", app_.label(), limits_stay);
}

// A server that is away is waited for by all connections at the same time. On the maintenance thread.
awaitable<void> worker::connect_all(loop& there, worker_shared* own) {
    std::vector<awaitable<void>> all;
    all.push_back(reach_store(there, own));
    all.push_back(parts_->maintenance->connect());
    for (const auto& thread : parts_->threads)
        all.push_back(on_its_thread(thread->home(), thread->connect()));
    // The others would wait for ever, and nothing may go on when the parts are taken apart.
    co_await side_by_side(parts_->maintenance->home().executor(), std::move(all), [this] {
        parts_->maintenance->disconnect();
        for (const auto& thread : parts_->threads) thread->disconnect();
    });
}

awaitable<void> worker::start() {
    check_handlers(app_);
    const auto executor = co_await asio::this_coro::executor;
    auto& there = caller_loop(executor, app_);
    auto fresh = std::make_unique<parts>(app_);
    if (!app_.settings.metrics.empty()) {
        fresh->metrics = std::make_unique<metrics_port>(app_.settings.metrics, [this](metric_form form) {
            return metrics_page(app_, form);
        });
    }
    const auto at = std::ranges::find_if(fresh->served, [&](const auto& one) { return &one->app == &app_; });
    worker_shared* own = at == fresh->served.end() ? nullptr : at->get();
    if (own) own->limits_are_looked_at = true;
    {
        std::lock_guard lock{guard_};
        parts_ = std::move(fresh);
    }
    app_.meter.set_worker([of = parts_.get()] { return of->gauges(); });
    std::exception_ptr failure;
    try {
        parts_->maintenance->start_thread();
        for (const auto& thread : parts_->threads) thread->start_thread();
        co_await on_its_thread(parts_->maintenance->home(), connect_all(there, own));
        // Leases are kept before the first is taken, and the pool stands before a task can need it.
        co_await on_its_thread(parts_->maintenance->home(), begin_on_its_loop(*parts_->maintenance));
        parts_->pool.start();
        for (const auto& thread : parts_->threads)
            co_await on_its_thread(thread->home(), begin_on_its_loop(*thread));
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        take_apart();
        std::rethrow_exception(failure);
    }
    announce(app_, {.kind = event_kind::worker_started, .text = introduction_of(parts_->served)});
    for (const auto& sentence : doubts_of(parts_->served)) app_.log->warn("{}", sentence);
}

awaitable<void> worker::stop() {
    if (!parts_) co_return;
    for (const auto& thread : parts_->threads) {
        if (thread->home().here())
            throw usage_error{"a handler cannot stop the worker that runs it and wait for that"};
    }
    announce(app_, {.kind = event_kind::worker_stopping, .text = "worker " + app_.process_name + " stops"});
    // All of them drain at the same time, under leases that are kept until the last report is in.
    for (const auto& thread : parts_->threads) thread->begin_to_drain();
    for (const auto& thread : parts_->threads) {
        co_await asio::co_spawn(thread->home().executor(), thread->drained(), asio::use_awaitable);
    }
    co_await asio::co_spawn(parts_->maintenance->home().executor(), parts_->maintenance->leave(),
                            asio::use_awaitable);
    take_apart();
    app_.lines.tell_all_left_out();
    announce(app_,
             {.kind = event_kind::worker_stopped, .text = "worker " + app_.process_name + " has stopped"});
}

awaitable<void> worker::in_each(std::function<awaitable<bool>(detail::app_core&)> what) {
    return parts_->maintenance->in_each(std::move(what));
}

awaitable<void> worker::make_good(detail::app_core& of,
                                  std::function<awaitable<bool>(detail::app_core&)> what) {
    return parts_->maintenance->make_good(of, std::move(what));
}

void worker::hurry() {
    std::lock_guard lock{guard_};
    if (!parts_) return;
    for (const auto& thread : parts_->threads) thread->hurry();
}

// The threads that run tasks first: they post to the pool and to the maintenance thread, and nothing posts to them but that
// thread, which asks their closed loops in vain.
void worker::take_apart() {
    std::lock_guard lock{guard_};
    if (!parts_) return;
    app_.meter.set_worker({});
    for (const auto& thread : parts_->threads) thread->close();
    parts_->maintenance->close();
    parts_->pool.join();
    parts_.reset();
}

}  // namespace errand
