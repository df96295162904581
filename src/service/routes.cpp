// THE route table: tasks and work. What operators ask for is in operator_routes.cpp.
#include "service/calls.hpp"

#include <array>
#include <vector>

namespace errand::web {
namespace {

constexpr outcome bad{400, "The request does not fit; `path` names the member, parameter or header"};
constexpr outcome unknown{404, "The task is not there"};
constexpr outcome away{503, "The store does not answer"};

constexpr std::array alive_answers{outcome{200, "`{\"status\": \"ok\"}`"}};
constexpr std::array ready_answers{outcome{200, "`{\"status\": \"ok\"}`"},
                                   outcome{503, "The store does not answer, or the service is stopping"}};
constexpr std::array document_answers{outcome{200, "The document"}};
constexpr std::array metrics_answers{outcome{
    200,
    "The metrics of a process in [metrics.md](monitoring/metrics.md), as text, or as OpenMetrics if `Accept` says so"}};
constexpr std::array store_metrics_answers{
    outcome{200, "The metrics of a namespace in [metrics.md](monitoring/metrics.md), in the same forms"},
    away};

constexpr std::array submit_answers{
    outcome{201, "`{\"id\", \"created\": true}`; `Location` is the task's path"},
    outcome{200, "`{\"id\", \"created\": false}`: the task was there, by its biz_id or Idempotency-Key"},
    bad,
    outcome{409, "The biz_id is held and `on_duplicate` says so, or the dependencies would close a cycle"},
    outcome{413, "The body is larger than the service takes, or the arguments than the store keeps"},
    outcome{415, "The body is not said to be JSON"},
    outcome{422, "The Idempotency-Key was used for another handler or other arguments"},
    outcome{429, "The quota of the namespace is used up; `Retry-After` where waiting helps"},
    away};
constexpr std::array batch_answers{
    outcome{
        200,
        "`{\"results\": [{\"id\", \"created\"} or {\"error\": {\"code\", \"message\", \"path\"}}]}`, one for "
        "each task, in order: a bad one does not stop the others"},
    outcome{400, "The body as a whole does not fit, and nothing was submitted"},
    outcome{413, "The body is larger than the service takes"},
    outcome{415, "The body is not said to be JSON"}};
constexpr std::array plan_answers{
    outcome{
        201,
        "`{\"tasks\": [{\"id\", \"created\", \"name\"?}]}`, one for each task, in the order of the request"},
    outcome{200, "The same, when all were there: by their biz_id, or by the Idempotency-Key"},
    outcome{
        400,
        "Something does not fit, and nothing was submitted; `path` names it, as `tasks[3].after_names[0]`"},
    outcome{404, "A task that one of them waits for is no longer kept, and nothing was submitted"},
    outcome{
        409,
        "A biz_id is held and `on_duplicate` says so, or the dependencies would close a cycle: nothing was submitted"},
    outcome{413, "The body is larger than the service takes, or arguments than the store keeps"},
    outcome{415, "The body is not said to be JSON"},
    outcome{422, "The Idempotency-Key was used for other tasks"},
    outcome{429, "The quota of the namespace is used up; `Retry-After` where waiting helps"},
    away};
constexpr std::array wait_answers{
    outcome{
        200,
        "`{\"settled\", \"first\", \"tasks\": [{\"id\", \"state\", \"result\", \"last_error\"} or {\"id\", "
        "\"error\"}]}`, one for each task, in order. `settled` is false when the time was over first; `first` is, of "
        "`any`, the id of the one that succeeded first. Beyond 16 MiB of results the rest has `\"left_out\": true` "
        "and null for its result: ask for these one by one. A task that is not there has `error`: it counts as "
        "one that has not succeeded"},
    bad, outcome{429, "As many requests wait as may (`max_waiting`)"}, away};
constexpr std::array show_answers{
    outcome{200, "The task, as `errand show --json` prints it: TASK in [cli.md](cli.md#errand-show-id)"}, bad,
    unknown, outcome{429, "As many requests wait as may (`max_waiting`)"}, away};
constexpr std::array list_answers{
    outcome{
        200,
        "`{\"tasks\": [TASK], \"next\", \"complete\"}`. `next` is the cursor of the next page, or null: also a "
        "page without tasks may have one, when few match. `complete` is false while a server of several does "
        "not answer, and its tasks are missing"},
    bad, away};
constexpr std::array queues_answers{
    outcome{200, "`{\"queues\": [QUEUE], \"complete\"}`, as `errand queues --json` prints them"}, away};
constexpr std::array workers_answers{
    outcome{200, "`{\"workers\": [WORKER], \"complete\"}`, as `errand workers --json` prints them"}, away};
constexpr std::array watch_task_answers{
    outcome{200, "Events: see [Events](#events). `data` is the task, as `GET` of it answers"}, bad, unknown,
    outcome{429, "As many requests wait as may (`max_waiting`)"}, away};
constexpr std::array watch_answers{
    outcome{200,
            "Events: see [Events](#events). `data` is `{\"queues\": [QUEUE], \"workers\", \"complete\"}`"},
    bad, outcome{429, "As many requests wait as may (`max_waiting`)"}};
constexpr std::array cancel_answers{
    outcome{200, "`{\"id\", \"state\"}`: its state now, which is another end when it had ended before"},
    unknown, away};
constexpr std::array revive_answers{outcome{200, "`{\"id\", \"state\"}`"}, unknown,
                                    outcome{409, "It has not ended so"}, away};
constexpr std::array reschedule_answers{outcome{200, "The task"}, bad, unknown,
                                        outcome{409, "It runs or has ended"}, away};
constexpr std::array change_answers{
    outcome{200, "The task"}, bad, unknown,
    outcome{409, "It has started before, and is not dead with other arguments"}, away};

constexpr outcome over{
    409,
    "The claim is over (`claim_lost`): the lease has run out, the task was cancelled, or another outcome counts"};
constexpr std::array claim_answers{
    outcome{200,
            "`{\"tasks\": [CLAIMED]}`: see [Workers](#workers). None, when there was nothing for so long"},
    bad, outcome{429, "As many requests wait as may (`max_waiting`)"}, away};
constexpr std::array report_batch_answers{
    outcome{
        200,
        "`{\"results\": [{\"id\", \"state\"} or {\"error\": {\"code\", \"message\", \"path\"}}]}`, one for each report, in "
        "order; with `claim` also `\"tasks\": [CLAIMED]`, and `\"claim_error\"` when none could be taken"},
    outcome{400, "The body as a whole does not fit, and nothing was reported or taken"},
    outcome{413, "The body is larger than the service takes"}, away};
constexpr std::array extend_batch_answers{
    outcome{
        200,
        "`{\"results\": [{\"id\", \"lease_until\"} or {\"error\": {\"code\", \"message\", \"path\"}}]}`, one for each "
        "task, in order"},
    outcome{400, "The body as a whole does not fit"}, away};
constexpr std::array report_answers{
    outcome{200, "`{\"id\", \"state\"}`: what the task is by this report; the same when it is repeated"},
    bad,
    outcome{404, "The id is none"},
    over,
    outcome{413, "The result is larger than the store keeps"},
    away};
constexpr std::array extend_answers{outcome{200, "`{\"id\", \"lease_until\"}`"}, bad,
                                    outcome{404, "The id is none"}, over, away};
constexpr std::array note_answers{outcome{200, "`{\"id\"}`"}, bad, outcome{404, "The id is none"}, over,
                                  away};
constexpr std::array stage_answers{
    outcome{
        200,
        "`{\"name\", \"attempt\", \"started_at\", \"length_ms\", \"result\"}`: the stage as it is kept. One of this name "
        "that was kept before stays as it is"},
    bad,
    outcome{404, "The id is none"},
    over,
    outcome{413, "The result is larger than the store keeps, or all results of the task are"},
    away};
constexpr std::array stages_answers{
    outcome{200, "`{\"stages\": [STAGE]}`, in the order in which they were kept"}, bad,
    outcome{404, "The id is none"}, over, away};

}  // namespace

std::span<const route> routes() noexcept {
    static const auto all = [] {
        const auto of_tasks = task_routes();
        const auto of_operators = operator_routes();
        std::vector<route> both{of_tasks.begin(), of_tasks.end()};
        both.insert(both.end(), of_operators.begin(), of_operators.end());
        return both;
    }();
    return all;
}

std::span<const route> task_routes() noexcept {
    static const std::array all{
        route{.method = "GET",
              .path = "/healthz",
              .name = "alive",
              .meaning = "Whether the process is there. The store is not asked",
              .run = tell_alive,
              .answers = alive_answers},
        route{.method = "GET",
              .path = "/readyz",
              .name = "ready",
              .meaning = "Whether requests can be served: the store is asked",
              .run = tell_ready,
              .answers = ready_answers},
        route{.method = "GET",
              .path = "/openapi.json",
              .name = "openapi",
              .meaning = "All calls, as an OpenAPI 3.1 document",
              .run = tell_routes,
              .answers = document_answers},
        route{.method = "GET",
              .path = "/metrics",
              .needs = scope::view,
              .name = "metrics",
              .meaning = "What this process measures of itself, for Prometheus",
              .run = show_metrics,
              .answers = metrics_answers,
              .type = "text/plain"},
        route{
            .method = "GET",
            .path = "/metrics/store",
            .needs = scope::view,
            .name = "store_metrics",
            .meaning =
                "How the namespace stands, for Prometheus: the same from each process that serves it, so let one be "
                "asked. At most 5 seconds old",
            .run = show_store_metrics,
            .answers = store_metrics_answers,
            .type = "text/plain"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks",
              .needs = scope::submit,
              .name = "submit_task",
              .meaning = "Submits a task",
              .run = submit_task,
              .body = submission_fields,
              .headers = submit_headers,
              .large = true,
              .by_queue = true,
              .answers = submit_answers,
              .example =
                  R"({"handler": "send_receipt", "args": [{"id": "o-1", "cents": 990}], "delay_ms": 5000})"},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/tasks:batch",
            .needs = scope::submit,
            .name = "submit_batch",
            .meaning = "Submits many tasks in few round trips",
            .run = submit_batch,
            .body = batch_fields,
            .headers = submit_headers,
            .large = true,
            .by_queue = true,
            .answers = batch_answers,
            .example =
                R"({"tasks": [{"handler": "greet", "args": ["Ann"]}, {"handler": "greet", "args": ["Bob"]}]})"},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/plans",
            .needs = scope::submit,
            .name = "submit_plan",
            .meaning = "Submits tasks that wait for each other, all or none",
            .run = submit_plan,
            .body = plan_fields,
            .headers = submit_headers,
            .large = true,
            .by_queue = true,
            .answers = plan_answers,
            .example =
                R"({"tasks": [{"name": "a", "handler": "fetch", "args": ["a.csv"]}, {"name": "b", "handler": "fetch", "args": ["b.csv"]}, {"name": "both", "group": ["a", "b"]}, {"handler": "merge", "result_of": "both"}]})"},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/tasks:wait",
            .needs = scope::view,
            .name = "wait_for_tasks",
            .meaning =
                "Several tasks with their results; with `wait_ms` once all have succeeded or one has not, or once one has succeeded",
            .run = wait_for_tasks,
            .body = wait_fields,
            .by_queue = true,
            .answers = wait_answers,
            .example =
                R"({"ids": ["0198c5d2-7c3e-7f00-8000-000000000001", "0198c5d2-7c3e-7f00-8000-000000000002"], "until": "any", "wait_ms": 20000})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/tasks",
              .needs = scope::view,
              .name = "list_tasks",
              .meaning = "Tasks in one state, by page; or the one that has a biz_id",
              .run = list_tasks,
              .query = list_query,
              .by_queue = true,
              .answers = list_answers},
        route{
            .method = "GET",
            .path = "/v1/{namespace}/tasks/{id}",
            .needs = scope::view,
            .name = "show_task",
            .meaning =
                "One task in full; with `wait_ms` once it has ended, so that a result is waited for without asking "
                "again and again",
            .run = show_task,
            .query = look_query,
            .by_queue = true,
            .answers = show_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/tasks/{id}/events",
              .needs = scope::view,
              .name = "watch_task",
              .meaning = "One task as it changes, until it has ended",
              .run = watch_task,
              .by_queue = true,
              .answers = watch_task_answers,
              .type = "text/event-stream"},
        route{
            .method = "GET",
            .path = "/v1/{namespace}/events",
            .needs = scope::view,
            .name = "watch_name_space",
            .meaning =
                "The queues with how many tasks are in each state, and how many workers there are, as that changes",
            .run = watch_name_space,
            .answers = watch_answers,
            .type = "text/event-stream"},
        route{
            .method = "PATCH",
            .path = "/v1/{namespace}/tasks/{id}",
            .needs = scope::submit,
            .name = "change_task",
            .meaning =
                "Gives a task that has never started other arguments, another priority or due time, as one step; a dead "
                "one that gets other arguments starts again with them",
            .run = change_task,
            .body = change_fields,
            .large = true,
            .by_queue = true,
            .answers = change_answers,
            .example = R"({"priority": 9})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:cancel",
              .needs = scope::submit,
              .name = "cancel_task",
              .meaning = "Ends a task that has not ended; a running one sees it as cancellation",
              .run = cancel_task,
              .by_queue = true,
              .answers = cancel_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:revive",
              .needs = scope::submit,
              .name = "revive_task",
              .meaning = "Starts a dead, cancelled or expired task again, its attempts from zero",
              .run = revive_task,
              .by_queue = true,
              .answers = revive_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:reschedule",
              .needs = scope::submit,
              .name = "reschedule_task",
              .meaning = "Gives a task that does not run another due time",
              .run = reschedule_task,
              .body = due_fields,
              .by_queue = true,
              .answers = reschedule_answers,
              .example = R"({"at": "2026-12-01T08:00:00Z"})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/queues",
              .needs = scope::view,
              .name = "list_queues",
              .meaning = "The queues, with how many tasks are in each state",
              .run = list_queues,
              .by_queue = true,
              .answers = queues_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/workers",
              .needs = scope::view,
              .name = "list_workers",
              .meaning = "The processes that run tasks, and what they run",
              .run = list_workers,
              .answers = workers_answers},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/work:claim",
            .needs = scope::work,
            .name = "claim_tasks",
            .meaning = "Takes tasks to run them, each for the length of a lease",
            .run = claim_tasks,
            .body = claim_fields,
            .large = true,
            .by_queue = true,
            .answers = claim_answers,
            .example =
                R"({"worker": "mailer-1", "queues": {"mail": 3, "bulk": 1}, "limit": 10, "wait_ms": 20000})"},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/work:report",
            .needs = scope::work,
            .name = "report_batch",
            .meaning = "Says what became of many tasks, and takes the next ones",
            .run = report_batch,
            .body = report_batch_fields,
            .large = true,
            .by_queue = true,
            .answers = report_batch_answers,
            .example =
                R"({"reports": [{"id": "0198c5d2-7c3e-7f00-8000-000000000001", "claim": "…", "outcome": "success"}]})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/work:extend",
              .needs = scope::work,
              .name = "extend_batch",
              .meaning =
                  "Keeps tasks for a lease more, from now on, with all that was taken together with them",
              .run = extend_batch,
              .body = extend_batch_fields,
              .large = true,
              .by_queue = true,
              .answers = extend_batch_answers,
              .example = R"({"tasks": [{"id": "0198c5d2-7c3e-7f00-8000-000000000001", "claim": "…"}]})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:report",
              .needs = scope::work,
              .name = "report_task",
              .meaning = "Says what became of a task that was taken",
              .run = report_task,
              .body = report_fields,
              .large = true,
              .by_queue = true,
              .answers = report_answers,
              .example = R"({"claim": "…", "outcome": "failure", "error": {"message": "no such address"}})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:extend",
              .needs = scope::work,
              .name = "extend_task",
              .meaning =
                  "Keeps a task for a lease more, from now on, with all that was taken together with it",
              .run = extend_task,
              .body = extend_fields,
              .by_queue = true,
              .answers = extend_answers,
              .example = R"({"claim": "…", "lease_ms": 60000})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:progress",
              .needs = scope::work,
              .name = "tell_progress",
              .meaning = "Says how far a task is that was taken",
              .run = tell_progress,
              .body = progress_fields,
              .by_queue = true,
              .answers = note_answers,
              .example = R"({"claim": "…", "done": 0.5, "text": "half of the pages"})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:log",
              .needs = scope::work,
              .name = "add_log",
              .meaning = "Keeps lines with a task that was taken; the latest 100 are kept",
              .run = add_log,
              .body = log_fields,
              .large = true,
              .by_queue = true,
              .answers = note_answers,
              .example = R"({"claim": "…", "lines": ["page 1 of 20", "page 2 of 20"]})"},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/tasks/{id}:stage",
            .needs = scope::work,
            .name = "keep_stage",
            .meaning =
                "Keeps the result of a part of a task that was taken, so that the next attempt need not do it again",
            .run = keep_stage,
            .body = stage_fields,
            .large = true,
            .by_queue = true,
            .answers = stage_answers,
            .example = R"({"claim": "…", "name": "download", "result": {"bytes": 1024}})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:stages",
              .needs = scope::work,
              .name = "read_stages",
              .meaning = "The results that this and earlier attempts have kept",
              .run = read_stages,
              .body = stages_fields,
              .by_queue = true,
              .answers = stages_answers,
              .example = R"({"claim": "…"})"},
    };
    return all;
}

}  // namespace errand::web
