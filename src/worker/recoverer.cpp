#include "worker/recoverer.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"
#include "worker/finished.hpp"
#include "worker/notice.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand {

namespace asio = boost::asio;

namespace {
constexpr std::size_t recovered_per_call = 100;
}  // namespace

recoverer::recoverer(worker_frame& frame, const asio::any_io_executor& executor, store& in)
    : role{frame.app, executor, "taking over tasks of dead workers"}, frame_{frame}, in_{in} {}

awaitable<std::size_t> recoverer::pass() {
    std::size_t done = 0;
    for (;;) {
        const auto answer = co_await in_.recover(recovered_per_call, app().settings.lease);
        const auto& tasks = answer.tasks;
        until_end_.reset();
        if (answer.next_end) until_end_ = *answer.next_end - answer.now;
        if (tasks.empty()) co_return done;
        work_call call;
        for (const auto& task : tasks) {
            call.reports.push_back(co_await end_of(task));
            if (call.closed.empty() || call.closed.back() != task.claim) call.closed.push_back(task.claim);
        }
        co_await in_.work(call);
        done += tasks.size();
        // One answer carries only so many bytes.
        const bool more = answer.next_end && *answer.next_end <= answer.now;
        if (tasks.size() < recovered_per_call && !more) co_return done;
    }
}

awaitable<report> recoverer::end_of(const claimed_task& task) {
    task_body body;
    task_notes notes;
    // A message that was lost is no attempt. A task is handed over only once, so one that kills its worker is found out.
    auto how = task.handed ? attempt_end::shut_down : attempt_end::lease_ran_out;
    std::exception_ptr failure;
    try {
        body = decode_body(task.body);
        if (!task.notes.empty()) notes = decode_notes(task.notes);
    } catch (...) {
        how = attempt_end::undecodable;
        failure = std::current_exception();
    }
    const auto* known = handlers::find(body.handler);
    const auto terms = known ? terms_of(known->policy, body) : terms_of(body);
    const int attempt = notes.attempts + 1;
    auto what = decide(how, failure, terms, std::move(notes), in_.now());
    const auto kind = what.what == verdict::bury ? event_kind::task_dead : event_kind::task_recovered;
    notice(app(), {.kind = kind,
                   .task = to_text(task.id),
                   .handler = body.handler,
                   .attempt = attempt,
                   .text = task.handed ? "what was handed to its worker was not heard of again"
                                       : "its worker gave no sign of life"});
    if (what.what == verdict::bury && has_on_dead(known)) {
        const dead_task dead{task.id, task.queue, body, terms, what.notes, what.notes.started_at};
        co_await asio::co_spawn(frame_.pool, hear(app(), *known, dead, in_.now()), asio::use_awaitable);
    }
    const attempt_facts facts{task.id,      task.claim, task.queue, body.priority, !task.notes.empty(),
                              std::nullopt, {},         task.body,  in_.now()};
    co_return report_of(std::move(what), terms, facts, {});
}

// On the pool: what a handler does there must not keep leases from being extended.
awaitable<void> recoverer::hear(detail::app_core& app, const known_handler& of, const dead_task& task,
                                time_point now) {
    call_on_dead(app, of, task, now);
    co_return;
}

duration recoverer::pause() {
    return recovery_interval(until_end_, app().settings.lease, frame_.alive.load(), random_unit());
}

}  // namespace errand
