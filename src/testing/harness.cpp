#include <errand/testing.hpp>

#include "client/policy_schedules.hpp"
#include "core/config_text.hpp"
#include "core/random.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "runtime/manual_time.hpp"
#include "runtime/thread_mark.hpp"
#include "testing/injected.hpp"
#include "testing/shown.hpp"
#include "testing/solo_worker.hpp"
#include "worker/worker.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>
#include <atomic>

namespace errand::testing {

namespace asio = boost::asio;

namespace {

constexpr duration longest_advance = std::chrono::days{36'525};
// Moves of the clock in a row that start no attempt: what falls due each time is a task that no handler here is for. Or
// nothing is left but schedules, which tick for ever.
constexpr int most_idle_moves = 1000;

config for_harness(config settings) {
    if (!keeps_in_memory(settings)) {
        throw usage_error{"a harness keeps its tasks in memory: its settings cannot name the store " +
                          settings.store};
    }
    if (!settings.name_spaces.empty()) {
        throw usage_error{"a harness runs the tasks of one namespace: its settings cannot have name_spaces"};
    }
    return settings;
}

bool never() { return false; }

// An awaitable that is being run; kept by whoever tells of its end, which may come later than anybody looks.
struct visit {
    bool ended = false;
    std::exception_ptr failure;
    asio::cancellation_signal stop;
};

}  // namespace

struct harness::parts {
    explicit parts(harness_options how)
        : chance{how.seed},
          time{std::make_shared<std::atomic<time_point>>(how.begin)},
          owner{for_harness(std::move(how.settings))},
          core{with_clock(detail::core_of(owner), time)},
          failures{core} {
        {
            const chance_scope drawn{chance};
            works = std::make_unique<solo_worker>(core, moved);
        }
        core.take_post(std::make_shared<worker>(core));
        // Draws nothing from the seed: times do not depend on which policies have schedules.
        if (how.policy_schedules) declare_policies();
    }
    ~parts() {
        const thread_mark mark;
        const chance_scope drawn{chance};
        const manual_time_scope moves{moved};
        core.leave_post();
        works.reset();
    }
    parts(const parts&) = delete;
    parts& operator=(const parts&) = delete;

    static detail::app_core& with_clock(detail::app_core& core,
                                        const std::shared_ptr<std::atomic<time_point>>& time) {
        core.clock = [time] { return time->load(); };
        core.threadless = true;
        return core;
    }

    solo_worker::moments next_moment() {
        auto next = works->next_moment();
        if (const auto wait = moved.first()) {
            next.first = std::min(next.first.value_or(*wait), *wait);
            next.beside_schedules = std::min(next.beside_schedules.value_or(*wait), *wait);
        }
        return next;
    }
    void move_to(time_point when) {
        time->store(std::max(when, time->load()));
        moved.moved();
        works->time_moved();
        works->go_on(never);
    }
    void drain() {
        while (works->run_next(never)) {
        }
    }
    void declare_policies();
    void run(const std::shared_ptr<visit>& one);
    void abandon(visit& one);
    std::shared_ptr<visit> begun(awaitable<void> work);

    seeded_chance chance;
    std::shared_ptr<std::atomic<time_point>> time;
    manual_time moved{[this] { return time->load(); }};
    errand::app owner;
    detail::app_core& core;
    injected_failures failures;
    std::unique_ptr<solo_worker> works;
};

namespace {

// What stands for as long as the harness runs something on this thread.
class shift {
public:
    shift(seeded_chance& chance, manual_time& time, injected_failures& failures, const char* called)
        : drawn_{chance}, moves_{time} {
        if (errand_runs_this_thread()) {
            throw usage_error{std::string{"harness::"} + called +
                              " was called inside a coroutine that errand runs: it would wait for itself; "
                              "co_await what it is to run instead"};
        }
        mark_.emplace();
        failures.stay_innermost();
    }

private:
    chance_scope drawn_;
    manual_time_scope moves_;
    std::optional<thread_mark> mark_;
};

}  // namespace

harness::harness(harness_options how) : parts_{std::make_unique<parts>(std::move(how))} {}
harness::~harness() = default;

app& harness::app() noexcept { return parts_->owner; }
time_point harness::now() const noexcept { return parts_->time->load(); }

// ---- running ---------------------------------------------------------------------------------------

void harness::run_to_end(awaitable<void> work) {
    const shift now{parts_->chance, parts_->moved, parts_->failures, "run"};
    const auto one = parts_->begun(std::move(work));
    try {
        parts_->run(one);
    } catch (...) {
        parts_->abandon(*one);
        throw;
    }
    if (one->failure) std::rethrow_exception(one->failure);
}

void harness::parts::declare_policies() {
    const auto declare = [](detail::app_core& of) -> awaitable<void> {
        co_await declare_policy_schedules(of);
    };
    const auto one = begun(declare(core));
    while (!one->ended) works->wait_outside();
    if (one->failure) std::rethrow_exception(one->failure);
}

std::shared_ptr<visit> harness::parts::begun(awaitable<void> work) {
    const auto one = std::make_shared<visit>();
    works->spawn(std::move(work), one->stop.slot(), [one](std::exception_ptr why) {
        one->failure = std::move(why);
        one->ended = true;
    });
    return one;
}

void harness::parts::run(const std::shared_ptr<visit>& one) {
    const auto ended = [&] { return one->ended; };
    for (int idle_moves = 0; !one->ended;) {
        const auto before = works->started(), claimed = works->claimed_beside_schedules();
        if (works->run_next(ended)) {
            if (works->started() > before && works->claimed_beside_schedules() > claimed) idle_moves = 0;
            continue;
        }
        if (one->ended) return;
        const auto awaited = works->home().results().awaited();
        // It waits for something of its own, which takes real time.
        if (awaited.empty()) {
            works->wait_outside();
            continue;
        }
        const auto next = next_moment();
        // Ticks on the way to something else say nothing.
        if (!next.beside_schedules || next.beside_schedules == next.first) ++idle_moves;
        if (!next.first || idle_moves > most_idle_moves)
            throw usage_error{works->answer_of(endless(works->home(), awaited))};
        move_to(*next.first);
    }
}

// It may refer to what its caller has on the stack.
void harness::parts::abandon(visit& one) {
    for (int tries = 0; tries < 3 && !one.ended; ++tries) {
        one.stop.emit(asio::cancellation_type::terminal);
        while (!one.ended && works->home().context().poll_one() > 0) {
        }
    }
}

std::size_t harness::drain() {
    const shift now{parts_->chance, parts_->moved, parts_->failures, "drain"};
    const auto before = parts_->works->started();
    parts_->drain();
    return parts_->works->started() - before;
}

bool harness::run_one() {
    const shift now{parts_->chance, parts_->moved, parts_->failures, "run_one"};
    const auto before = parts_->works->started();
    while (parts_->works->started() == before) {
        if (!parts_->works->run_next(never)) return false;
    }
    return true;
}

std::size_t harness::advance(duration by) {
    if (by < duration{0} || by > longest_advance) {
        throw usage_error{"harness::advance(" + std::to_string(by.count()) +
                          "ms): the clock moves forward, by 100 years at most"};
    }
    const shift now{parts_->chance, parts_->moved, parts_->failures, "advance"};
    const auto before = parts_->works->started();
    const auto target = this->now() + by;
    for (;;) {
        parts_->drain();
        const auto next = parts_->next_moment().first;
        if (!next || *next > target) break;
        parts_->move_to(*next);
    }
    parts_->move_to(target);
    parts_->drain();
    parts_->works->clean();
    return parts_->works->started() - before;
}

// ---- looking ---------------------------------------------------------------------------------------

std::vector<task_info> harness::tasks_of(std::type_index handler, bool ended) {
    const auto& name = handlers::of_type(handler).name;
    const shift now{parts_->chance, parts_->moved, parts_->failures, ended ? "finished" : "pending"};
    auto& works = *parts_->works;
    works.go_on(never);
    return works.answer_of(tasks_shown(works, name, ended));
}

task_info harness::expect_task(std::type_index handler, const std::optional<std::string>& args) {
    const auto& name = handlers::of_type(handler).name;
    const shift now{parts_->chance, parts_->moved, parts_->failures, "expect_submitted"};
    auto& works = *parts_->works;
    works.go_on(never);
    auto all = works.answer_of(tasks_shown(works, name, std::nullopt));
    for (auto& one : all) {
        if (!args || has_args(one, *args)) return std::move(one);
    }
    if (!all.empty()) throw expectation_failed{unlike(name, *args, all)};
    throw expectation_failed{none_of(name, args, works.answer_of(tasks_shown(works, "", std::nullopt)))};
}

void harness::fail_attempts(std::type_index handler, std::exception_ptr exception, int times) {
    const auto& name = handlers::of_type(handler).name;
    if (times < 1) {
        throw usage_error{"harness::fail_next of " + name + ": times is " + std::to_string(times) +
                          ", and must be at least 1"};
    }
    if (!exception) throw usage_error{"harness::fail_next of " + name + ": the exception_ptr holds nothing"};
    parts_->failures.order(name, exception, times);
}

}  // namespace errand::testing
