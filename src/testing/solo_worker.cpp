#include "testing/solo_worker.hpp"

#include <errand/error.hpp>

#include "runtime/ambient.hpp"
#include "runtime/handler_limits.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>

namespace errand::testing {

namespace asio = boost::asio;

namespace {

// It takes one task after the other anyway; those that come back from a wait go on at once.
constexpr std::size_t no_limit = 1'000'000'000;

// Only of the passes that need a queue to look at; claims are made by the tasks that are there.
queue_choice no_choice() { return queue_choice{{{"default", 1}}, false}; }

std::shared_ptr<std::size_t> counted_starts(detail::app_core& app) {
    auto count = std::make_shared<std::size_t>(0);
    app.events.subscribe([count](const event& what) {
        if (what.kind == event_kind::task_started) ++*count;
    });
    return count;
}

}  // namespace

solo_worker::solo_worker(detail::app_core& app, const manual_time& rests)
    : rests_{rests},
      shared_{.app = app, .queues = no_choice(), .pool = no_pool_, .has_pool = false},
      home_{app, app.next_name(), true},
      open_{home_.executor()},
      started_{counted_starts(app)},
      slots_{home_.executor(), no_limit},
      reporter_{shared_, leased_},
      executor_{shared_, home_, slots_, leased_, reporter_, [] {}},
      promoter_{shared_, home_.executor(), home_.tasks()},
      resolver_{shared_, home_.executor(), home_.tasks()},
      janitor_{shared_, home_.executor(), home_.tasks()},
      scheduler_{shared_, home_.executor(), home_} {
    run(home_.ready());
    home_.worker_listens(this);
    static_cast<void>(answer_of(declare_handler_limits(home_.tasks())));
    app.overrides.tell([this] { aside_ = true; });
}

solo_worker::~solo_worker() {
    shared_.app.overrides.tell(nullptr);
    home_.worker_listens(nullptr);
    executor_.close();
    executor_.stop_starting();
    executor_.stop_running();
    while (home_.context().poll_one() > 0) {
    }
    // Whoever waits on, in spite of that, is told that there is nothing more to come.
    home_.close();
    while (home_.context().poll_one() > 0) {
    }
}

void solo_worker::spawn(awaitable<void> work, asio::cancellation_slot until,
                        std::function<void(std::exception_ptr)> done) {
    auto around = std::make_shared<ambient>(ambient{.app = &shared_.app, .home = &home_});
    asio::co_spawn(with_ambient(home_.executor(), std::move(around)), std::move(work),
                   asio::bind_cancellation_slot(until, std::move(done)));
}

void solo_worker::run(awaitable<void> call) {
    bool ended = false;
    std::exception_ptr failure;
    asio::co_spawn(home_.executor(), std::move(call), [&](std::exception_ptr why) {
        failure = std::move(why);
        ended = true;
    });
    while (!ended) home_.context().run_one();
    if (failure) std::rethrow_exception(failure);
}

// ---- going on --------------------------------------------------------------------------------------

void solo_worker::go_on(const condition& enough) {
    while (!enough()) {
        if (home_.context().poll_one() > 0 || deliver()) continue;
        if (!busy() || enough()) return;
        wait_outside();
    }
}

// Brings out what has ended and tells those who waited for it.
bool solo_worker::deliver() {
    if (reporter_.waiting() > 0) {
        run(report());
        return true;
    }
    if (!news_) return false;
    news_ = false;
    return answer_of(resolver_.pass()) > 0;
}

awaitable<void> solo_worker::report() {
    work_call call;
    const auto sent = reporter_.load(call);
    const auto answer = co_await home_.tasks().work(call);
    reporter_.delivered(call, sent, answer);
    for (std::size_t at = 0; at < call.reports.size(); ++at) {
        const auto& one = call.reports[at];
        const bool ends = one.what == report::kind::end && answer.verdicts.at(at) == report_verdict::accepted;
        if (ends) ends_[one.id] = ++last_end_;
    }
    const auto counts = counts_of(executor_.take_figures());
    if (!counts.empty()) co_await home_.tasks().add_figures(counts);
}

std::size_t solo_worker::place_of_end(const task_id& id) const {
    const auto at = ends_.find(id);
    return at == ends_.end() ? 0 : at->second;
}

bool solo_worker::run_next(const condition& enough) {
    go_on(enough);
    if (enough() || busy()) return false;
    run(make_ready());
    if (aside_ && adopt_next(enough)) return true;
    const auto first = answer_of(first_ready());
    if (!first) return false;
    auto queue = check_beans(*first);
    auto answer = answer_of(claim(std::move(queue)));
    if (answer.claimed.empty()) return false;
    if (!schedule_of(answer.claimed.front().body)) ++claimed_beside_schedules_;
    executor_.take(std::move(answer.claimed));
    go_on(enough);
    return true;
}

bool solo_worker::adopt_next(const condition& enough) {
    aside_ = false;
    auto answer = answer_of(adopt());
    if (answer.tasks.empty()) return false;
    aside_ = true;
    if (!schedule_of(answer.tasks.front().body)) ++claimed_beside_schedules_;
    executor_.take(std::move(answer.tasks));
    go_on(enough);
    return true;
}

awaitable<adopt_answer> solo_worker::adopt() {
    adopt_call call{
        .queues = {}, .handlers = shared_.takes(), .limit = 1, .lease = shared_.app.settings.lease};
    const auto& served = shared_.app.settings.queues;
    for (const auto& queue : (co_await home_.tasks().overview()).queues) {
        if (served.empty() || served.contains(queue.queue)) call.queues.push_back(queue.queue);
    }
    slots_.reserve(1);
    adopt_answer answer;
    std::exception_ptr failure;
    try {
        answer = co_await home_.tasks().adopt(call);
    } catch (...) {
        failure = std::current_exception();
    }
    slots_.settle(1, answer.tasks.size());
    if (failure) std::rethrow_exception(failure);
    co_return answer;
}

awaitable<work_answer> solo_worker::claim(std::string queue) {
    work_call call;
    call.claim = {.queues = {std::move(queue)}, .limit = 1, .lease = shared_.app.settings.lease};
    slots_.reserve(1);
    work_answer answer;
    std::exception_ptr failure;
    try {
        answer = co_await home_.tasks().work(call);
    } catch (...) {
        failure = std::current_exception();
    }
    slots_.settle(1, answer.claimed.size());
    if (failure) std::rethrow_exception(failure);
    co_return answer;
}

// A worker refuses to start without them. Here only what runs has to be complete, and a test is to hear of it at once.
std::string solo_worker::check_beans(const found_task& task) const {
    auto body = decode_body(task.body);
    const auto* known = handlers::find(body.handler);
    if (known && known->code) detail::refuse_missing(known->code->missing(shared_.app.beans));
    return std::move(body.queue);
}

// ---- time ------------------------------------------------------------------------------------------

void solo_worker::time_moved() { executor_.time_moved_to(shared_.app.now()); }

solo_worker::moments solo_worker::next_moment() {
    auto next = answer_of(first_change());
    const auto deadline = executor_.first_deadline();
    if (deadline && *deadline > shared_.app.now()) {
        next.first = std::min(next.first.value_or(*deadline), *deadline);
        next.beside_schedules = std::min(next.beside_schedules.value_or(*deadline), *deadline);
    }
    return next;
}

// A watch that is not made again for a while counts as left behind, and here a while passes at once.
void solo_worker::clean() {
    home_.results().reconnected();
    go_on([] { return false; });
    answer_of(janitor_.pass());
}

}  // namespace errand::testing
