#include "worker/on_dead_call.hpp"

#include "worker/announce.hpp"

#include <boost/json/parse.hpp>

namespace errand {
namespace {

task_info info_of(const dead_task& task, time_point now) {
    task_info info;
    info.id = to_text(task.id);
    info.handler = task.body.handler;
    info.queue = std::string{task.queue};
    info.state = state::dead;
    info.biz_id = task.body.biz_id;
    info.attempt = task.notes.attempts;
    info.max_retry = task.terms.max_retry;
    info.submitted_at = task.body.submitted_at();
    info.due_at = task.body.due_at ? task.body.due_at : info.submitted_at;
    info.started_at = task.started_at;
    info.finished_at = now;
    info.progress = task.notes.progress;
    info.progress_text = task.notes.progress_text;
    info.headers = task.body.headers;
    info.tags = task.body.tags;
    info.log = task.notes.log;
    for (const auto& one : task.notes.errors)
        info.errors.push_back({one.attempt, one.at, one.type, one.message, one.started_at, one.worker});
    boost::system::error_code ec;
    auto args = boost::json::parse(task.body.args, ec);
    if (!ec && args.is_array()) info.args = std::move(args.get_array());
    return info;
}

}  // namespace

bool has_on_dead(const known_handler* of) noexcept { return of && of->code && of->code->on_dead; }

void call_on_dead(detail::app_core& app, const known_handler& of, const dead_task& task, time_point now) {
    try {
        of.code->on_dead(info_of(task, now));
    } catch (...) {
        announce_failure(app, "on_dead of " + of.name, std::current_exception());
    }
}

}  // namespace errand
