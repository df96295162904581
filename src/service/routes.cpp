// THE route table: tasks. What workers ask for is in work_routes.cpp, what operators ask for in operator_routes.cpp.
#include "service/calls.hpp"
#include "service/route_outcomes.hpp"

#include <array>
#include <vector>

namespace errand::web {
namespace {

constexpr std::array alive_answers{outcome{200, "`{\"status\": \"ok\"}`"}};
constexpr std::array ready_answers{outcome{200, "`{\"status\": \"ok\"}`"},
                                   outcome{503, "The store does not answer, or the service is stopping"}};
constexpr std::array document_answers{outcome{200, "The document"}};
constexpr std::array metrics_answers{outcome{
    200,
    "The metrics of a process in [metrics.md](monitoring/metrics.md), as text, or as OpenMetrics if `Accept` says so"}};
constexpr std::array store_metrics_answers{
    outcome{200, "The metrics of a namespace in [metrics.md](monitoring/metrics.md), in the same forms"},
    no_store};

constexpr std::array submit_answers{
    outcome{201, "`{\"id\", \"created\": true}`; `Location` is the task's path"},
    outcome{200, "`{\"id\", \"created\": false}`: the task was there, by its biz_id or Idempotency-Key"},
    unfit,
    outcome{404, "With a token for some queues: a task that it waits for is not there, or in another queue"},
    outcome{409, "The biz_id is held and `on_duplicate` says so, or the dependencies would close a cycle"},
    outcome{413, "The body is larger than the service takes, or the arguments than the store keeps"},
    outcome{415, "The body is not said to be JSON"},
    outcome{422, "The Idempotency-Key was used for another handler or other arguments"},
    outcome{429, "The quota of the namespace is used up; `Retry-After` where waiting helps"},
    no_store};
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
    outcome{
        404,
        "With a token for some queues: a task that one of them waits for is not there, or in another queue; nothing was submitted"},
    outcome{
        409,
        "A biz_id is held and `on_duplicate` says so, or the dependencies would close a cycle: nothing was submitted"},
    outcome{413, "The body is larger than the service takes, or arguments than the store keeps"},
    outcome{415, "The body is not said to be JSON"},
    outcome{422, "The Idempotency-Key was used for other tasks"},
    outcome{429, "The quota of the namespace is used up; `Retry-After` where waiting helps"},
    no_store};
constexpr std::array wait_answers{
    outcome{
        200,
        "`{\"settled\", \"first\", \"tasks\": [{\"id\", \"state\", \"result\", \"last_error\"} or {\"id\", "
        "\"error\"}]}`, one for each task, in order. `settled` is false when the time was over first; `first` is, of "
        "`any`, the id of the one that succeeded first. Beyond 16 MiB of results the rest has `\"left_out\": true` "
        "and null for its result: ask for these one by one. A task that is not there has `error`: it counts as "
        "one that has not succeeded"},
    unfit, all_wait, no_store};
constexpr std::array show_answers{
    outcome{200, "The task, as `errand show --json` prints it: TASK in [cli.md](cli.md#errand-show-id)"},
    unfit, no_task, all_wait, no_store};
constexpr std::array list_answers{
    outcome{
        200,
        "`{\"tasks\": [TASK], \"next\", \"complete\"}`. `next` is the cursor of the next page, or null: also a "
        "page without tasks may have one, when few match. `complete` is false while a server of several does "
        "not answer, and its tasks are missing"},
    unfit, no_store};
constexpr std::array queues_answers{
    outcome{200, "`{\"queues\": [QUEUE], \"complete\"}`, as `errand queues --json` prints them"}, no_store};
constexpr std::array workers_answers{
    outcome{200, "`{\"workers\": [WORKER], \"complete\"}`, as `errand workers --json` prints them"},
    no_store};
constexpr std::array watch_task_answers{
    outcome{200, "Events: see [Events](#events). `data` is the task, as `GET` of it answers"}, unfit, no_task,
    all_wait, no_store};
constexpr std::array watch_answers{
    outcome{200,
            "Events: see [Events](#events). `data` is `{\"queues\": [QUEUE], \"workers\", \"complete\"}`"},
    unfit, all_wait};
constexpr std::array cancel_answers{
    outcome{200, "`{\"id\", \"state\"}`: its state now, which is another end when it had ended before"},
    no_task, no_store};
constexpr std::array revive_answers{outcome{200, "`{\"id\", \"state\"}`"}, no_task,
                                    outcome{409, "It has not ended so"}, no_store};
constexpr std::array reschedule_answers{outcome{200, "The task"}, unfit, no_task,
                                        outcome{409, "It runs or has ended"}, no_store};
constexpr std::array change_answers{
    outcome{200, "The task"}, unfit, no_task,
    outcome{409, "It has started before, and is not dead with other arguments"}, no_store};

}  // namespace

std::span<const route> routes() noexcept {
    static const auto all = [] {
        const auto of_tasks = task_routes();
        std::vector<route> rows{of_tasks.begin(), of_tasks.end()};
        for (const auto part : {work_routes(), operator_routes()})
            rows.insert(rows.end(), part.begin(), part.end());
        return rows;
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
    };
    return all;
}

}  // namespace errand::web
