#include "worker/on_dead_call.hpp"

#include "runtime/stored_info.hpp"
#include "worker/announce.hpp"

namespace errand {
namespace {

task_info info_of_dead(const dead_task& task, time_point now) {
    auto info = info_of(task.id, task.body, task.notes);
    info.state = state::dead;
    info.queue = std::string{task.queue};
    info.max_retry = task.terms.max_retry;
    info.started_at = task.started_at;
    info.finished_at = now;
    return info;
}

}  // namespace

bool has_on_dead(const known_handler* of) noexcept { return of && of->code && of->code->on_dead; }

void call_on_dead(detail::app_core& app, const known_handler& of, const dead_task& task, time_point now) {
    try {
        of.code->on_dead(info_of_dead(task, now));
    } catch (...) {
        announce_failure(app, "on_dead of " + of.name, std::current_exception());
    }
}

}  // namespace errand
