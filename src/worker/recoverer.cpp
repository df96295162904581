#include "worker/recoverer.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"
#include "runtime/task_event.hpp"
#include "worker/announce.hpp"
#include "worker/attempt_report.hpp"
#include "worker/on_dead.hpp"

#include <algorithm>
#include <utility>

namespace errand {

namespace {
constexpr std::size_t recovered_per_call = 100;
}  // namespace

recoverer::recoverer(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in)
    : role{shared.app, executor, "taking over tasks of dead workers"},
      shared_{shared},
      in_{in},
      on_dead_{shared, executor, in} {}

awaitable<std::size_t> recoverer::pass() {
    std::size_t done = 0;
    for (;;) {
        auto answer = co_await in_.recover(recovered_per_call, app().settings.lease);
        auto& tasks = answer.tasks;
        until_end_.reset();
        if (answer.next_end) until_end_ = *answer.next_end - answer.now;
        if (tasks.empty()) co_return done;
        work_call call;
        std::vector<lost_task> dead;
        std::vector<claim_number> claims;
        figures_by_handler counted;
        for (auto& task : tasks) {
            if (claims.empty() || claims.back() != task.claim) claims.push_back(task.claim);
            if (auto end = end_of(task, dead, counted)) call.reports.push_back(std::move(*end));
        }
        for (const auto claim : claims) {
            const auto of_it = [claim](const lost_task& lost) { return lost.task.claim == claim; };
            if (std::ranges::none_of(dead, of_it)) call.closed.push_back(claim);
        }
        if (!call.reports.empty()) co_await in_.work(call);
        // Else they come again with the next call, and would be counted twice.
        for (const auto& [handler, figures] : counted) lost_[handler].merge(figures);
        // Only now: it closes a claim with the last report, and no other call may carry one of that claim then.
        for (auto& lost : dead) on_dead_.add(std::move(lost));
        done += tasks.size();
        // One answer carries only so many bytes.
        const bool more = answer.next_end && *answer.next_end <= answer.now;
        if (tasks.size() < recovered_per_call && !more) co_return done;
    }
}

std::optional<report> recoverer::end_of(claimed_task& task, std::vector<lost_task>& dead,
                                        figures_by_handler& lost) {
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
    // An item was only to be put into its bundle.
    if (known && known->policy.collect && !is_carrier(task.id) && !failure) how = attempt_end::shut_down;
    if (how == attempt_end::lease_ran_out) ++lost[body.handler].lost;
    const auto set = app().overrides.of(known, body.handler);
    auto terms = known ? terms_of(known->policy, body, set.get()) : terms_of(body, set.get());
    const int attempt = notes.attempts + 1;
    auto decided = decide(how, failure, terms, std::move(notes), in_.now());
    terms.backoff = nullptr;  // decided, and not kept any longer
    const auto kind = decided.kind == verdict::bury ? event_kind::task_dead : event_kind::task_recovered;
    auto said = task_event(kind, task);
    said.attempt = attempt;
    said.text = task.handed ? "what was handed to its worker was not heard of again"
                            : "its worker gave no sign of life";
    if (kind == event_kind::task_dead) {
        // That it is dead is what the log says.
        auto recovered = said;
        recovered.kind = event_kind::task_recovered;
        app().events.publish(std::move(recovered));
    }
    announce(app(), std::move(said));
    if (decided.kind == verdict::bury && has_on_dead(known)) {
        dead.push_back({std::move(task), std::move(body), known, terms, std::move(decided)});
        return std::nullopt;
    }
    const attempt_facts facts{task.id,      task.claim, task.queue, body.priority, !task.notes.empty(),
                              std::nullopt, {},         task.body,  in_.now(),     task.sealed_body};
    return report_of(std::move(decided), terms, facts, {});
}

void recoverer::stop() {
    role::stop();
    on_dead_.stop();
}

duration recoverer::pause() {
    return recovery_interval(until_end_, app().settings.lease, shared_.alive.load(), random_unit());
}

}  // namespace errand
