#include "service/why.hpp"

#include <errand/proxy.hpp>

#include "core/limit_rules.hpp"
#include "runtime/app_core.hpp"
#include "service/instant.hpp"
#include "service/words.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace errand {
namespace {

std::string at_text(const std::optional<time_point>& at, time_point now) {
    return at ? instant_text(*at) + " (" + from_now(*at, now) + ')' : "at a time that is not known";
}

std::string waiting_text(const task_info& task) {
    const auto n = std::max(task.waits_for_count, task.waits_for.size());
    std::string text = "waits for " + tasks_text(n) + " that it depends on";
    constexpr std::size_t named = 5;
    for (std::size_t at = 0; at < task.waits_for.size() && at < named; ++at) {
        text += (at == 0 ? ": " : ", ") + task.waits_for[at];
    }
    if (n > named && !task.waits_for.empty()) text += ", …";
    if (task.failed_dependencies > 0) {
        text += "; " + std::to_string(task.failed_dependencies) +
                " of them ended otherwise than by success: revive or resubmit them";
    }
    return text;
}

std::string paused_text(const task_info& task) {
    return "its handler " + task.handler + " is paused: errand configure " + task.handler + " paused=";
}

std::string delayed_text(const task_info& task, const surroundings& around) {
    const bool is_due = task.due_at && *task.due_at <= around.now;
    if (is_due && around.handler_is_paused) return "stands aside: " + paused_text(task);
    if (is_due && !around.handler_is_known) {
        const bool near = !around.nearest_handler.empty();
        return "stands aside: no worker has a handler of the name " + task.handler +
               (near ? " (the nearest is " + around.nearest_handler + ")" : "") +
               "; a worker that has it takes it when it starts";
    }
    return "due at " + at_text(task.due_at, around.now);
}

std::string ready_text(const task_info& task, const surroundings& around) {
    if (around.handler_is_paused) return "ready, but " + paused_text(task);
    if (around.queue_is_paused)
        return "ready, but its queue " + task.queue + " is paused: errand resume " + task.queue;
    if (around.workers == 0) return "ready, but no worker serves its queue " + task.queue;
    if (!task.blocked_by.empty()) return "ready, but held back by its limits";
    return "ready: the next worker of queue " + task.queue + " with a free slot takes it";
}

void look_for_handler(const whole_look& seen, const task_info& task, surroundings& all) {
    std::vector<std::string> known;
    for (const auto& worker : seen.workers)
        known.insert(known.end(), worker.handlers.begin(), worker.handlers.end());
    all.handler_is_known = std::ranges::find(known, task.handler) != known.end();
    all.nearest_handler = std::string{nearest_name(task.handler, known)};
}

void look_for_worker(const whole_look& seen, const task_info& task, surroundings& all) {
    for (const auto& queue : seen.queues) {
        if (queue.name == task.queue) all.queue_is_paused = queue.paused;
    }
    for (const auto& worker : seen.workers) {
        for (const auto& queue : worker.queues) all.workers += queue == task.queue ? 1U : 0U;
    }
}

}  // namespace

awaitable<surroundings> surroundings_of(app& tasks, const task_info& task,
                                        std::function<awaitable<seen_around>()> look) {
    surroundings all{.now = std::chrono::floor<duration>(std::chrono::system_clock::now())};
    if (task.state == state::ready || task.state == state::delayed) {
        const auto set = co_await tasks.settings_of(task.handler);
        all.handler_is_paused = set.settings.paused;
    }
    const bool may_stand_aside =
        task.state == state::delayed && !(task.due_at && *task.due_at > all.now) && !all.handler_is_paused;
    if (!may_stand_aside && task.state != state::working && task.state != state::ready) co_return all;
    const auto seen = co_await look();
    if (may_stand_aside) look_for_handler(*seen, task, all);
    if (task.state == state::working) {
        all.blocks = std::ranges::any_of(seen->workers, [&](const worker_info& worker) {
            return std::ranges::find(worker.blocking, task.id) != worker.blocking.end();
        });
    }
    if (task.state == state::ready) look_for_worker(*seen, task, all);
    co_return all;
}

awaitable<surroundings> surroundings_of(app& tasks, const task_info& task) {
    const std::function<awaitable<seen_around>()> look =
        [&core = detail::core_of(tasks)]() -> awaitable<seen_around> {
        auto seen = co_await look_at_whole(core);
        co_return std::make_shared<const whole_look>(std::move(seen));
    };
    co_return co_await surroundings_of(tasks, task, look);
}

std::string why_text(const task_info& task, const surroundings& around) {
    switch (task.state) {
    case state::waiting: return waiting_text(task);
    case state::delayed: return delayed_text(task, around);
    case state::ready: return ready_text(task, around);
    case state::working:
        return "runs since " + at_text(task.started_at, around.now) +
               (around.blocks
                    ? "; its handler keeps a thread of its worker busy, so that nothing else goes on there: make it .blocking"
                    : "");
    case state::retry:
        return "attempt " + std::to_string(task.attempt) + " failed; tried again at " +
               at_text(task.due_at, around.now);
    default:
        return "ended as " + std::string{to_string(task.state)} + " at " +
               at_text(task.finished_at, around.now);
    }
}

}  // namespace errand
