#include "worker/announce.hpp"

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"

#include <spdlog/logger.h>

namespace errand {
namespace {

std::string_view sentence(event_kind kind) {
    switch (kind) {
    case event_kind::task_dead: return "the task is dead";
    case event_kind::handler_unknown:
        return "no handler of this name runs here; the task waits for a worker that has it";
    case event_kind::task_cancelled: return "the task was cancelled, the attempt is told to stop";
    case event_kind::lease_lost: return "the lease is lost, the attempt is cancelled";
    case event_kind::task_recovered: return "taken over from a worker that gave no sign of life";
    case event_kind::report_stale:
        return "the report was refused: the task belongs to another attempt or has ended";
    case event_kind::overdue: return "the handler goes on although it was cancelled";
    case event_kind::loop_blocked: return "a handler keeps a worker's thread busy; make it .blocking";
    default: return "";
    }
}

spdlog::level::level_enum level_of(event_kind kind) {
    switch (kind) {
    case event_kind::failure: return spdlog::level::err;
    case event_kind::worker_started:
    case event_kind::worker_stopping:
    case event_kind::worker_stopped: return spdlog::level::info;
    case event_kind::task_cancelled:
    case event_kind::task_recovered:
    case event_kind::report_stale: return spdlog::level::debug;
    default: return spdlog::level::warn;
    }
}

}  // namespace

void announce(detail::app_core& app, event what) {
    const auto level = level_of(what.kind);
    if (app.log->should_log(level)) {
        std::string line{sentence(what.kind)};
        if (!what.text.empty()) line += (line.empty() ? "" : ": ") + what.text;
        if (what.after > duration{0}) line += " (" + in_words(what.after) + ")";
        if (!what.task.empty()) line = what.handler + " " + what.task + ": " + line;
        app.log->log(level, "{}", line);
    }
    app.events.publish(what);
}

void announce_failure(detail::app_core& app, std::string_view doing, const std::exception_ptr& why) {
    const auto text = describe(why);
    announce(app, {.kind = event_kind::failure, .text = std::string{doing} + ": " + text.message});
}

}  // namespace errand
