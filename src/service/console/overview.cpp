// Whether work gets done, at one look: counts, pace, and what somebody has to see to.
#include <errand/proxy.hpp>

#include "client/whole_look.hpp"
#include "runtime/app_core.hpp"
#include "runtime/each_at_once.hpp"
#include "service/console/office.hpp"
#include "service/console/view.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"
#include "service/words.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <set>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_needs = 30;
// What is next in a queue may have waited so long before it is late.
constexpr duration late_after = std::chrono::minutes{5};

time_point clock_here() { return std::chrono::floor<duration>(std::chrono::system_clock::now()); }

class needs {
public:
    // @param weight "bad" or "warn"
    void add(const char* weight, const char* kind, std::string subject, std::string text) {
        ++found_;
        if (all_.size() >= most_needs) return;
        all_.push_back(json::object{
            {"weight", weight}, {"kind", kind}, {"subject", std::move(subject)}, {"text", std::move(text)}});
    }
    json::array take() { return std::move(all_); }
    std::size_t found() const noexcept { return found_; }

private:
    json::array all_;
    std::size_t found_ = 0;
};

using names = std::set<std::string, std::less<>>;

// Of which workers that stay take tasks.
names served_by(const std::vector<worker_info>& workers) {
    names all;
    for (const auto& one : workers) {
        if (!one.stopping) all.insert(one.queues.begin(), one.queues.end());
    }
    return all;
}

void add_queue(needs& to, const queue_info& queue, const names& served, time_point now) {
    const auto ready = queue.count(state::ready);
    if (queue.paused) {
        to.add("warn", "paused", queue.name,
               "paused" +
                   (queue.paused_since ? " since " + from_now(*queue.paused_since, now) : std::string{}) +
                   ", " + tasks_text(ready) + " ready");
    } else if (ready > 0 && !served.contains(queue.name)) {
        to.add("bad", "unserved", queue.name, tasks_text(ready) + " ready, and no worker serves this queue");
    } else if (ready > 0 && queue.oldest && *queue.oldest > late_after) {
        to.add("warn", "late", queue.name,
               "the next task has waited for " + length_text(*queue.oldest) + ", " + tasks_text(ready) +
                   " ready");
    }
}

void add_dead_today(needs& to, const std::vector<day_info>& today) {
    for (const auto& one : today) {
        if (one.dead > 0)
            to.add("bad", "dead", one.queue,
                   tasks_text(static_cast<std::size_t>(one.dead)) + " died today (UTC)");
    }
}

void add_lost(needs& to, const figures_info& lately) {
    for (const auto& one : lately.handlers) {
        if (one.lost > 0)
            to.add("warn", "lost", one.handler,
                   tasks_text(static_cast<std::size_t>(one.lost)) +
                       " taken over in the last hour from workers that gave no sign of life");
    }
}

void add_workers(needs& to, const std::vector<worker_info>& workers) {
    for (const auto& one : workers) {
        if (!one.blocking.empty()) {
            to.add("warn", "blocking", one.name,
                   "a handler keeps a thread of this worker to itself: task " + one.blocking.front());
        }
    }
}

void add_outboxes(needs& to, const std::vector<outbox_info>& all) {
    for (const auto& one : all) {
        if (!one.trouble.empty()) to.add("bad", "outbox", one.database, one.trouble);
        if (one.backlog > 0 && one.oldest > late_after) {
            to.add("bad", "outbox", one.database,
                   tasks_text(one.backlog) + " committed and not delivered, the oldest for " +
                       length_text(one.oldest));
        }
    }
}

// Those whose name no worker has stand aside as delayed ones, and are due.
void add_unknown_handlers(needs& to, const task_page& delayed, const std::vector<worker_info>& workers,
                          time_point now) {
    names known;
    for (const auto& one : workers) known.insert(one.handlers.begin(), one.handlers.end());
    names told;
    for (const auto& task : delayed.tasks) {
        const bool due = task.due_at && *task.due_at <= now;
        if (due && !known.contains(task.handler) && told.insert(task.handler).second)
            to.add("bad", "handler", task.handler, "tasks stand aside: no worker has a handler of this name");
    }
}

}  // namespace

awaitable<json::object> look_at_overview(view_call c) {
    const auto in = c.app.inspect();
    auto& core = detail::core_of(c.app);
    std::shared_ptr<const whole_look> seen;
    std::shared_ptr<const figures_info> lately;
    task_page delayed;
    const auto look = [&](std::size_t at) -> awaitable<void> {
        if (at == 0) seen = co_await c.at.whole.see(c.cost);
        if (at == 1) lately = co_await c.at.lately.see([&core] { return figures_of_handlers(core); });
        if (at == 2) delayed = co_await in.list({.state = state::delayed}, "", 20, list_order::oldest_first);
    };
    co_await each_at_once(3, look);
    const auto& queues = seen->queues;
    const auto& workers = seen->workers;
    const auto outboxes = co_await in.outboxes();
    const auto away = co_await in.away();
    const auto now = clock_here();
    const auto served = served_by(workers);
    json::object tasks;
    double ended = 0;
    double failed = 0;
    std::optional<duration> oldest;
    needs need;
    for (const auto one : away)
        need.add("bad", "shard", std::to_string(one),
                 "this shard of the store does not answer: its tasks are missing here");
    for (const auto name : detail::state_names) {
        std::size_t sum = 0;
        for (const auto& one : queues) sum += one.count(*parse_state(name));
        tasks[name] = sum;
    }
    for (const auto& one : queues) {
        ended += one.finished_per_second;
        failed += one.failed_per_second;
        if (one.oldest && !one.paused) oldest = std::max(oldest.value_or(duration{0}), *one.oldest);
        add_queue(need, one, served, now);
    }
    add_unknown_handlers(need, delayed, workers, now);
    add_dead_today(need, seen->today);
    add_lost(need, *lately);
    add_workers(need, workers);
    add_outboxes(need, outboxes);
    std::size_t slots = 0;
    std::size_t busy = 0;
    for (const auto& one : workers) {
        slots += one.concurrency;
        busy += one.running.size();
    }
    const auto found = need.found();
    co_return json::object{{"tasks", std::move(tasks)},
                           {"queues", queues.size()},
                           {"workers", workers.size()},
                           {"slots", slots},
                           {"busy", busy},
                           {"ended_per_second", ended},
                           {"failed_per_second", failed},
                           {"oldest_ms", json_of(oldest)},
                           {"needs", need.take()},
                           {"needs_found", found},
                           {"pulse", c.at.beat.document()}};
}

}  // namespace errand::console
