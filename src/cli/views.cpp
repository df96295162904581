#include "cli/views.hpp"

#include "cli/figure_views.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <cstdio>

namespace errand::cli {

namespace {

// --- tables ---

std::string rate_text(double a_second) {
    if (a_second <= 0) return "0";
    char text[32];
    std::snprintf(text, sizeof text, a_second < 10 ? "%.2f" : "%.0f", a_second);
    return text;
}

std::string count_text(const queue_info& queue, state in) { return std::to_string(queue.count(in)); }

// Since when it is ready, when it is due, how long it runs, when it ended.
std::string when_text(const task_info& task, time_point now) {
    const auto told = [&](const std::optional<time_point>& at) {
        return at ? from_now(*at, now) : std::string{};
    };
    switch (task.state) {
    case state::delayed:
    case state::retry: return task.due_at && *task.due_at <= now ? "due" : told(task.due_at);
    case state::working: return told(task.started_at);
    case state::waiting:
    case state::ready: return told(task.submitted_at);
    default: return told(task.finished_at ? task.finished_at : task.submitted_at);
    }
}

std::string last_error(const task_info& task) {
    if (task.errors.empty()) return {};
    const auto& error = task.errors.back();
    return error.message.empty() ? error.type : error.message;
}

// --- the live view ---

std::string sums(const top_view& view) {
    std::size_t ready = 0;
    std::size_t running = 0;
    std::size_t slots = 0;
    double finished = 0;
    for (const auto& one : view.queues) {
        ready += one.count(state::ready);
        finished += one.finished_per_second;
    }
    for (const auto& one : view.workers) {
        running += one.running.size();
        slots += one.concurrency;
    }
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.1f", finished);
    return std::to_string(view.workers.size()) + (view.workers.size() == 1 ? " worker, " : " workers, ") +
           std::to_string(running) + " of " + std::to_string(slots) + " slots busy, " +
           std::to_string(ready) + " ready, " + rate + " done/s";
}

std::string first_lines(const std::string& text, std::size_t lines) {
    std::size_t end = 0;
    for (; lines > 0; --lines) {
        const auto at = text.find('\n', end);
        if (at == text.npos) return text;
        end = at + 1;
    }
    return text.substr(0, end);
}

std::string frame_line(const std::string& text, screen_size size) {
    return (size.width == 0 ? text : cut(text, size.width)) + '\n';
}

}  // namespace

std::string away_text(const std::vector<std::size_t>& shards) {
    std::string names;
    for (const auto one : shards) names += (names.empty() ? "" : ", ") + std::to_string(one);
    return (shards.size() == 1 ? "shard " + names + " does not answer: what it keeps is missing here"
                               : "shards " + names + " do not answer: what they keep is missing here");
}

table queue_table(const std::vector<queue_info>& queues, time_point now) {
    table out{{{.title = "queue", .least = 8},
               {.title = "ready", .right = true},
               {.title = "working", .right = true},
               {.title = "retry", .right = true},
               {.title = "delayed", .right = true, .drop = 3},
               {.title = "waiting", .right = true, .drop = 4},
               {.title = "dead", .right = true},
               {.title = "oldest", .right = true, .drop = 5},
               {.title = "done/s", .right = true, .drop = 6},
               {.title = "failed/s", .right = true, .drop = 7},
               {.title = "paused", .drop = 1},
               {.title = "idle workers", .right = true, .drop = 8}}};
    for (const auto& one : queues) {
        const auto paused = one.paused_since ? from_now(*one.paused_since, now) : one.paused ? "yes" : "";
        out.add({one.name, count_text(one, state::ready), count_text(one, state::working),
                 count_text(one, state::retry), count_text(one, state::delayed),
                 count_text(one, state::waiting), count_text(one, state::dead),
                 one.oldest ? length_text(*one.oldest) : "", rate_text(one.finished_per_second),
                 rate_text(one.failed_per_second), paused, std::to_string(one.idle_workers)});
    }
    return out;
}

table task_table(const std::vector<task_info>& tasks, time_point now) {
    table out{{{.title = "id"},
               {.title = "handler", .least = 8, .drop = 1},
               {.title = "biz_id", .least = 8, .drop = 4},
               {.title = "attempt", .right = true, .drop = 3},
               {.title = "when", .drop = 2},
               {.title = "last error", .least = 10, .drop = 2}}};
    for (const auto& one : tasks) {
        out.add({one.id, one.handler, one.biz_id.value_or(""), std::to_string(one.attempt),
                 when_text(one, now), last_error(one)});
    }
    return out;
}

table worker_table(const std::vector<worker_info>& workers, time_point now) {
    table out{{{.title = "name", .least = 8},
               {.title = "host", .least = 6, .drop = 3},
               {.title = "pid", .right = true, .drop = 2},
               {.title = "queues", .least = 8, .drop = 1},
               {.title = "concurrency", .right = true, .drop = 4},
               {.title = "running", .right = true},
               {.title = "up"},
               {.title = "is"}}};
    for (const auto& one : workers) {
        out.add({one.name, one.host, std::to_string(one.pid), joined(one.queues, ","),
                 std::to_string(one.concurrency), std::to_string(one.running.size()),
                 one.started_at ? length_text(now - *one.started_at) : "",
                 one.stopping           ? "stopping"
                 : one.blocking.empty() ? ""
                                        : "blocked by " + joined(one.blocking, ", ")});
    }
    return out;
}

table running_table(const std::vector<worker_info>& workers, time_point now) {
    struct row {
        const worker_info* by;
        const running_info* what;
    };
    std::vector<row> rows;
    for (const auto& worker : workers) {
        for (const auto& one : worker.running) rows.push_back({&worker, &one});
    }
    std::ranges::stable_sort(rows, {}, [&](const row& one) { return one.what->started_at.value_or(now); });
    table out{{{.title = "id"},
               {.title = "handler", .least = 8, .drop = 1},
               {.title = "queue", .least = 6, .drop = 3},
               {.title = "attempt", .right = true, .drop = 4},
               {.title = "for"},
               {.title = "worker", .least = 8, .drop = 5}}};
    for (const auto& [by, what] : rows) {
        out.add({what->id, what->handler, what->queue, std::to_string(what->attempt),
                 what->started_at ? length_text(now - *what->started_at) : "", by->name});
    }
    return out;
}

table day_table(const std::vector<day_info>& days) {
    table out{{{.title = "day"},
               {.title = "queue", .least = 8},
               {.title = "success", .right = true},
               {.title = "dead", .right = true},
               {.title = "cancelled", .right = true, .drop = 2},
               {.title = "expired", .right = true, .drop = 3},
               {.title = "failed attempts", .right = true, .drop = 1}}};
    for (const auto& one : days) {
        out.add({one.day, one.queue, std::to_string(one.success), std::to_string(one.dead),
                 std::to_string(one.cancelled), std::to_string(one.expired), std::to_string(one.failed)});
    }
    return out;
}

// What runs is to have some lines too.
constexpr std::size_t most_handlers_at_top = 5;

std::string frame_text(const top_view& view, screen_size size) {
    auto out = frame_line("errand " + plain(view.name_space) + "  " + instant_text(view.now), size);
    if (!view.away.empty()) out += frame_line(away_text(view.away), size);
    out += frame_line(sums(view), size) + '\n';
    out += view.queues.empty() ? frame_line("no queue has had a task yet", size)
                               : queue_table(view.queues, view.now).text(size.width);
    if (!view.figures.handlers.empty())
        out += '\n' + figure_table(view.figures, most_handlers_at_top).text(size.width);
    const auto running = running_table(view.workers, view.now);
    out += '\n' + (running.empty() ? frame_line("nothing runs", size) : running.text(size.width));
    return size.height == 0 ? out : first_lines(out, size.height);
}

}  // namespace errand::cli
