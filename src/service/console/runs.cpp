#include "service/console/runs.hpp"

#include "core/hex.hpp"
#include "core/random.hpp"
#include "service/console/causes.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_at_once = 4;
constexpr std::size_t most_kept = 100;
constexpr std::size_t page_size = 200;

constexpr std::array<std::pair<std::string_view, repair>, 4> repairs{{{"run_now", repair::run_now},
                                                                      {"revive", repair::revive},
                                                                      {"cancel", repair::cancel},
                                                                      {"remove", repair::remove}}};

time_point now_here() { return std::chrono::floor<duration>(std::chrono::system_clock::now()); }

std::string short_id() {
    std::string id;
    auto bits = random_bits();
    for (int i = 0; i < 6; ++i, bits >>= 8U) append_hex(id, static_cast<unsigned char>(bits & 0xFFU));
    return id;
}

std::string filter_text(const run_order& of) {
    std::string text{to_string(of.which.state)};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) text += std::string{", "} + name + ' ' + value;
    };
    add("queue", of.which.queue);
    add("handler", of.which.handler);
    add("biz_id", of.which.biz_id);
    add("tag", of.which.tag);
    if (of.cause.empty()) add("error", of.which.error);
    add("cause", of.cause);
    return text + " tasks";
}

bool moves(const run_order& what) { return what.action == "reschedule"; }

bool is_of_tasks(const run_order& what) { return moves(what) || repair_named(what.action).has_value(); }

// What is there already is not met again when it has moved to where the run comes to later.
bool is_meant(const run_order& by, const task_info& task) {
    if (moves(by) && by.due_at && task.due_at == by.due_at) return false;
    return by.cause.empty() || cause_of(task) == by.cause;
}

awaitable<bool> act_by(inspector in, const run_order& by, std::string id) {
    if (moves(by)) co_return co_await in.reschedule(std::move(id), *by.due_at);
    co_return co_await act_on(in, *repair_named(by.action), std::move(id));
}

}  // namespace

struct runs::one_run {
    std::string id;
    run_order order;
    time_point started{};
    std::optional<time_point> ended{};
    std::string state = "running";  // then done, stopped, failed
    std::string trouble{};
    bool asked_to_stop = false;
    repair_progress far{};
    checkup seen{};

    std::size_t left() const {
        return order.most == 0 ? static_cast<std::size_t>(-1) : order.most - far.changed;
    }
    std::string on() const { return is_of_tasks(order) ? filter_text(order) : "the store"; }
    json::object document() const {
        json::object all{{"id", id},
                         {"action", order.action},
                         {"on", on()},
                         {"state_of_tasks", to_string(order.which.state)},
                         {"dry_run", order.dry_run},
                         {"most", order.most},
                         {"rate", order.rate},
                         {"who", order.who},
                         {"started_at", instant_text(started)},
                         {"ended_at", json_of(ended)},
                         {"state", state},
                         {"trouble", trouble},
                         {"stopping", asked_to_stop && state == "running"},
                         {"looked_at", far.looked_at},
                         {"matched", far.matched},
                         {"changed", far.changed}};
        if (!is_of_tasks(order)) {
            all["looked_at"] = seen.looked_at;
            all["matched"] = seen.found;
            all["changed"] = seen.repaired;
            json::array findings;
            for (std::size_t i = 0; i < std::min<std::size_t>(seen.findings.size(), 100); ++i)
                findings.emplace_back(json_of(seen.findings[i]));
            all["findings"] = std::move(findings);
        }
        return all;
    }
};

bool may_be_rescheduled(state in) noexcept {
    return in == state::waiting || in == state::delayed || in == state::ready || in == state::retry;
}

std::optional<repair> repair_named(std::string_view action) noexcept {
    for (const auto& [name, what] : repairs) {
        if (name == action) return what;
    }
    return std::nullopt;
}

awaitable<bool> act_on(inspector in, repair what, std::string id) {
    switch (what) {
    case repair::run_now: co_return co_await in.run_now(std::move(id));
    case repair::revive: co_return co_await in.revive(std::move(id));
    case repair::cancel: co_return co_await in.cancel(std::move(id));
    case repair::remove: co_return co_await in.remove(std::move(id));
    }
    co_return false;
}

std::string runs::start(run_order what) {
    const auto busy = std::ranges::count_if(all_, [](const auto& one) { return one->state == "running"; });
    if (static_cast<std::size_t>(busy) >= most_at_once)
        throw web::refusal{409, "conflict", "four runs are under way: wait for one of them, or stop one"};
    const auto run = std::make_shared<one_run>();
    run->id = short_id();
    run->order = std::move(what);
    run->started = now_here();
    all_.push_front(run);
    if (all_.size() > most_kept && all_.back()->state != "running") all_.pop_back();
    duties_.start(carry_out(run));
    return run->id;
}

bool runs::stop(std::string_view id) {
    for (const auto& one : all_) {
        if (one->id != id || one->state != "running") continue;
        one->asked_to_stop = true;
        return true;
    }
    return false;
}

json::array runs::document() const {
    json::array out;
    for (const auto& one : all_) out.emplace_back(one->document());
    return out;
}

json::value runs::document_of(std::string_view id) const {
    for (const auto& one : all_) {
        if (one->id == id) return one->document();
    }
    return nullptr;
}

awaitable<void> runs::stop() {
    for (const auto& one : all_) one->asked_to_stop = true;
    co_await duties_.stop();
}

bool runs::goes_on(const one_run& run) const { return !run.asked_to_stop && !duties_.stopping(); }

awaitable<void> runs::carry_out(std::shared_ptr<one_run> run) {
    try {
        if (!is_of_tasks(run->order)) {
            co_await check_store(*run);
        } else if (run->order.cause.empty() && !moves(run->order)) {
            co_await repair_filter(*run);
        } else {
            co_await one_by_one(*run);
        }
        run->state = run->asked_to_stop ? "stopped" : "done";
    } catch (...) {
        run->state = "failed";
        run->trouble = web::refusal_of(std::current_exception(), true).what();
    }
    run->ended = now_here();
    log_.add({.who = run->order.who,
              .request = run->order.request,
              .what = (run->order.dry_run ? "count for " : "") + run->order.action,
              .on = run->on(),
              .came = run->state + ", " +
                      std::to_string(run->order.dry_run ? run->far.matched : run->far.changed) +
                      (run->trouble.empty() ? "" : ": " + run->trouble)});
}

// How many it is about at most. What runs and fails again is back in its list: without an end of its own such a run could have none.
awaitable<std::size_t> runs::count_first(const one_run& run, repair what) {
    const bool comes_back = what == repair::revive || what == repair::run_now;
    if (!comes_back || run.order.dry_run || run.order.most > 0) co_return static_cast<std::size_t>(-1);
    repair_options how{.dry_run = true};
    how.progress = [this, &run](const repair_progress&) { return goes_on(run); };
    const auto there = co_await app_.inspect().repair_all(run.order.which, what, std::move(how));
    co_return there.matched;
}

// The store does it by pages; with a pace, in slices of a second.
awaitable<void> runs::repair_filter(one_run& run) {
    const auto what = *repair_named(run.order.action);
    const bool paced = run.order.rate > 0 && !run.order.dry_run;
    const auto all = co_await count_first(run, what);
    while (goes_on(run) && run.left() > 0 && run.far.matched < all) {
        const auto began = run.far;
        repair_options how{.dry_run = run.order.dry_run};
        how.most = std::min(run.left(), all - began.matched);
        if (paced) how.most = std::min(how.most, run.order.rate);
        how.progress = [this, &run, began](const repair_progress& far) {
            run.far = {.looked_at = began.looked_at + far.looked_at,
                       .matched = began.matched + far.matched,
                       .changed = began.changed + far.changed};
            return goes_on(run);
        };
        const auto got = co_await app_.inspect().repair_all(run.order.which, what, std::move(how));
        run.far = {.looked_at = began.looked_at + got.looked_at,
                   .matched = began.matched + got.matched,
                   .changed = began.changed + got.changed};
        if (!paced || got.changed == 0 || run.far.matched >= all) break;
        co_await duties_.pause(std::chrono::seconds{1});
    }
}

// What errors have in common is known here alone, and another due time is not given by pages.
awaitable<void> runs::one_by_one(one_run& run) {
    const auto in = app_.inspect();
    std::string next;
    std::size_t this_second = 0;
    do {
        const auto page = co_await in.list(run.order.which, next, page_size);
        run.far.looked_at += page.looked_at;
        for (const auto& task : page.tasks) {
            if (!goes_on(run) || run.left() == 0) co_return;
            if (!is_meant(run.order, task)) continue;
            ++run.far.matched;
            bool changed = run.order.dry_run;
            if (!changed) changed = co_await act_by(in, run.order, task.id);
            if (changed) ++run.far.changed;
            if (run.order.rate > 0 && !run.order.dry_run && ++this_second >= run.order.rate) {
                this_second = 0;
                co_await duties_.pause(std::chrono::seconds{1});
            }
        }
        next = page.next;
    } while (!next.empty() && goes_on(run));
}

awaitable<void> runs::check_store(one_run& run) {
    run.seen = co_await app_.inspect().check(run.order.action == "repair", [this, &run](const checkup& far) {
        run.seen.looked_at = far.looked_at;
        run.seen.found = far.found;
        run.seen.repaired = far.repaired;
        return goes_on(run);
    });
}

}  // namespace errand::console
