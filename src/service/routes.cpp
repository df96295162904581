// THE route table.
#include "service/calls.hpp"

#include <array>

namespace errand::web {
namespace {

constexpr outcome bad{400, "The request does not fit; `path` names the member, parameter or header"};
constexpr outcome unknown{404, "The task is not there"};
constexpr outcome away{503, "The store does not answer"};

constexpr std::array alive_answers{outcome{200, "`{\"status\": \"ok\"}`"}};
constexpr std::array ready_answers{outcome{200, "`{\"status\": \"ok\"}`"},
                                   outcome{503, "The store does not answer, or the service is stopping"}};
constexpr std::array document_answers{outcome{200, "The document"}};

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
constexpr std::array cancel_answers{
    outcome{200, "`{\"id\", \"state\"}`: its state now, which is another end when it had ended before"},
    unknown, away};
constexpr std::array revive_answers{outcome{200, "`{\"id\", \"state\"}`"}, unknown,
                                    outcome{409, "It has not ended so"}, away};
constexpr std::array reschedule_answers{outcome{200, "The task"}, bad, unknown,
                                        outcome{409, "It runs or has ended"}, away};
constexpr std::array change_answers{outcome{200, "The task"}, bad, unknown,
                                    outcome{409, "It has started before"}, away};

}  // namespace

std::span<const route> routes() noexcept {
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
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks",
              .needs = scope::submit,
              .name = "submit_task",
              .meaning = "Submits a task",
              .run = submit_task,
              .body = submission_fields,
              .headers = submit_headers,
              .large = true,
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
            .answers = batch_answers,
            .example =
                R"({"tasks": [{"handler": "greet", "args": ["Ann"]}, {"handler": "greet", "args": ["Bob"]}]})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/tasks",
              .needs = scope::view,
              .name = "list_tasks",
              .meaning = "Tasks in one state, by page",
              .run = list_tasks,
              .query = list_query,
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
            .answers = show_answers},
        route{
            .method = "PATCH",
            .path = "/v1/{namespace}/tasks/{id}",
            .needs = scope::submit,
            .name = "change_task",
            .meaning =
                "Gives a task that has never started other arguments, another priority or due time, as one step",
            .run = change_task,
            .body = change_fields,
            .large = true,
            .answers = change_answers,
            .example = R"({"priority": 9})"},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:cancel",
              .needs = scope::submit,
              .name = "cancel_task",
              .meaning = "Ends a task that has not ended; a running one sees it as cancellation",
              .run = cancel_task,
              .answers = cancel_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:revive",
              .needs = scope::submit,
              .name = "revive_task",
              .meaning = "Starts a dead, cancelled or expired task again, its attempts from zero",
              .run = revive_task,
              .answers = revive_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/tasks/{id}:reschedule",
              .needs = scope::submit,
              .name = "reschedule_task",
              .meaning = "Gives a task that does not run another due time",
              .run = reschedule_task,
              .body = due_fields,
              .answers = reschedule_answers,
              .example = R"({"at": "2026-12-01T08:00:00Z"})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/queues",
              .needs = scope::view,
              .name = "list_queues",
              .meaning = "The queues, with how many tasks are in each state",
              .run = list_queues,
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
