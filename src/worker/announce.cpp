#include "worker/announce.hpp"

#include "core/attempt_rules.hpp"
#include "core/length_words.hpp"
#include "runtime/app_core.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <utility>

namespace errand {
namespace {

std::string_view sentence(event_kind kind) {
    switch (kind) {
    case event_kind::limit_differs: return "a limit is declared otherwise than before";
    case event_kind::task_retrying: return "failed";
    case event_kind::task_given_back: return "is given back, and loses no attempt";
    case event_kind::task_dead: return "the task is dead";
    case event_kind::task_snoozed: return "waits for a worker that can read it";
    case event_kind::handler_unknown:
        return "no handler of this name runs here; the task waits for a worker that has it";
    case event_kind::task_cancelled: return "the task was cancelled, the attempt is told to stop";
    case event_kind::lease_lost: return "the lease is lost, the attempt is cancelled";
    case event_kind::task_recovered: return "taken over";
    case event_kind::report_stale:
        return "the report was refused: the task belongs to another attempt or has ended";
    case event_kind::overdue: return "the handler goes on although it was cancelled";
    case event_kind::ended_late: return "ended after its timeout, which counts as a success";
    case event_kind::loop_blocked: return "a handler keeps a worker's thread busy; make it .blocking";
    default: return "";
    }
}

spdlog::level::level_enum level_of(event_kind kind) {
    switch (kind) {
    case event_kind::failure: return spdlog::level::err;
    case event_kind::worker_started:
    case event_kind::worker_stopping:
    case event_kind::worker_stopped:
    case event_kind::limit_differs:
    case event_kind::task_given_back:
    case event_kind::task_recovered: return spdlog::level::info;
    case event_kind::task_cancelled:
    case event_kind::report_stale: return spdlog::level::debug;
    default: return spdlog::level::warn;
    }
}

bool is_of_worker(const event& what) {
    return what.kind == event_kind::worker_started || what.kind == event_kind::worker_stopping ||
           what.kind == event_kind::worker_stopped ||
           (what.kind == event_kind::loop_blocked && what.task.empty());
}

// What a handler has thrown may hold what is encrypted.
bool is_said_by_handler(const event& what) {
    return what.kind == event_kind::task_retrying || what.kind == event_kind::task_dead;
}

constexpr std::string_view kept_encrypted = ", whose message is kept encrypted";

// "std::runtime_error: no route to anna@example.org" without what is behind the type. What has none is errand's own.
std::string without_message(std::string_view text) {
    const auto end = text.find(": ");
    if (end == text.npos) return std::string{text};
    return std::string{text.substr(0, end)}.append(kept_encrypted);
}

// "mail 01a2…: the task is dead: …"; of an attempt "mail 01a2… attempt 1 of 4 failed: no route; again in 100 ms".
std::string line_of(const event& what) {
    std::string line;
    if (!what.task.empty()) line = what.handler + " " + what.task;
    const bool of_attempt = what.kind == event_kind::task_retrying ||
                            what.kind == event_kind::task_given_back || what.kind == event_kind::ended_late;
    if (of_attempt && what.attempt > 0) {
        line += " attempt " + std::to_string(what.attempt);
        if (what.max_attempts > 0) line += " of " + std::to_string(what.max_attempts);
    }
    const auto said = sentence(what.kind);
    if (!said.empty()) {
        if (!line.empty()) line += of_attempt ? " " : ": ";
        line += said;
    }
    if (!what.text.empty()) line += (line.empty() ? "" : ": ") + what.text;
    if (what.kind == event_kind::task_retrying) {
        line += "; again in " + length_in_words(what.after);
    } else if (what.after > duration{0}) {
        line += " (" + length_in_words(what.after) + ")";
    }
    // What a handler threw is one line here, whatever it holds.
    std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return line;
}

void write_line(const detail::app_core& app, const event& what) {
    const auto level = level_of(what.kind);
    if (!app.log->should_log(level)) return;
    auto line = line_of(what);
    // What is said of the worker is said of all that it serves.
    if (!is_of_worker(what)) line.insert(0, app.label());
    if (what.task.empty()) {
        app.log->log(level, "{}", line);
    } else {
        app.lines.write(level, line);
    }
}

}  // namespace

void announce(detail::app_core& app, event what) {
    if (hides_messages(app) && is_said_by_handler(what)) {
        auto shown = what;
        shown.text = without_message(what.text);
        write_line(app, shown);
    } else {
        write_line(app, what);
    }
    app.events.publish(std::move(what));
}

bool hides_messages(const detail::app_core& app) {
    const auto keys = app.seals();
    return keys && !keys->logs_messages();
}

std::string text_in_log(const detail::app_core& app, const std::exception_ptr& why) {
    const auto said = describe(why);
    if (hides_messages(app)) return said.type + std::string{kept_encrypted};
    return said.type + ": " + said.message;
}

std::string text_in_span(const detail::app_core& app, const std::exception_ptr& why) {
    auto said = describe(why);
    return hides_messages(app) ? std::move(said.type) : std::move(said.message);
}

void announce_limits(detail::app_core& app, const std::vector<std::string>& differences) {
    for (const auto& one : differences) announce(app, {.kind = event_kind::limit_differs, .text = one});
}

void announce_failure(detail::app_core& app, std::string_view doing, const std::exception_ptr& why) {
    const auto text = describe(why);
    announce(app, {.kind = event_kind::failure, .text = std::string{doing} + ": " + text.message});
}

void announce_thrown(detail::app_core& app, std::string_view doing, const std::exception_ptr& why) {
    if (!hides_messages(app)) return announce_failure(app, doing, why);
    const auto said = describe(why);
    event what{.kind = event_kind::failure, .text = std::string{doing} + ": "};
    auto shown = what;
    shown.text += said.type + ", whose message may hold what is encrypted";
    write_line(app, shown);
    what.text += said.message;
    app.events.publish(std::move(what));
}

}  // namespace errand
