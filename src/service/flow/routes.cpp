// The route table of flows.
#include "service/flow/routes.hpp"

#include "service/flow/calls.hpp"
#include "service/flow/report.hpp"

#include <array>

namespace errand::flow {
namespace {

using web::outcome;
using web::route;
using web::scope;

constexpr outcome bad{400, "The request does not fit; `path` names the member, parameter or header"};
constexpr outcome unknown{404, "The task is not there, or the type"};
constexpr outcome unknown_type{404, "There is no such type"};
constexpr outcome large{413, "The body is larger than the service takes, or the content than the type"};
constexpr outcome no_json{415, "The body is not said to be JSON"};
constexpr outcome away{503, "The store does not answer"};
constexpr outcome busy{429, "`rate_limited`: as many requests wait as may (`max_waiting`)"};

constexpr std::array create_answers{
    outcome{201, "`{\"id\", \"created\": true}`; `Location` is the task's path"},
    outcome{200, "`{\"id\", \"created\": false}`: it was there, and nothing has changed"},
    bad,
    unknown_type,
    outcome{409, "With `strict`: it was there with another content"},
    large,
    no_json,
    outcome{429, "`rate_limited`: the quota of the namespace is used up"},
    away};
constexpr std::array batch_answers{
    outcome{
        200,
        "`{\"results\": [{\"id\", \"created\"} or {\"error\"}]}`, one for each task, in order: a bad one does not stop the others"},
    outcome{400, "The body as a whole does not fit, and nothing was created"}, large, no_json, away};
constexpr std::array look_answers{outcome{200, "The [task](#the-task); `ETag` is its version"}, bad, unknown,
                                  busy, away};
constexpr std::array list_answers{
    outcome{
        200,
        "`{\"tasks\": [TASK], \"next\"}`: `next` is the cursor of the next page, or null. Also a page without tasks may have one, when few fit"},
    bad, away};
constexpr std::array cancel_answers{
    outcome{
        200,
        "`{\"id\", \"status\", \"state\", \"version\"}`: how it is now, which is another end when it had ended before"},
    bad, unknown, away};
constexpr std::array patch_answers{outcome{200, "The task; `ETag` is its version"},
                                   bad,
                                   unknown,
                                   outcome{409, "It is held, has ended, or has another version"},
                                   large,
                                   no_json,
                                   away};
constexpr std::array revive_answers{
    outcome{200, "The task"}, bad, unknown, outcome{409, "It has not failed"}, large, no_json, away};
constexpr std::array hold_answers{
    outcome{
        200,
        "`{\"tasks\": [TASK with \"claim\", \"lease_until\"], \"config\": {\"batch\", \"interval_ms\", \"lease_ms\", \"version\"}}`. No task, when there was none for so long"},
    bad,
    unknown_type,
    no_json,
    busy,
    away};
constexpr std::array report_answers{
    outcome{
        200,
        "`{\"status\", \"state\", \"stage\", \"due_at\", \"version\"}`; the same again for a report that is repeated. With `\"cancel\": true` the task was cancelled, and the report does not count"},
    bad,
    unknown_type,
    outcome{409, "`claim_lost`: the lease has ended, or another outcome counts. Nothing has changed"},
    large,
    no_json,
    away};
constexpr std::array reports_answers{
    outcome{
        200,
        "`{\"results\": [as of one, or {\"error\"}]}` in order; with `hold` also `\"tasks\"` and `\"config\"`, and `\"hold_error\"` when none could be held"},
    outcome{400, "The body as a whole does not fit, and nothing was reported or held"},
    unknown_type,
    large,
    no_json,
    away};
constexpr std::array leases_answers{
    outcome{
        200,
        "`{\"results\": [{\"lease_until\"}, {\"cancel\": true, \"lease_until\"} or {\"error\"}]}`, one for each, in order"},
    outcome{400, "The body as a whole does not fit"},
    large,
    no_json,
    busy,
    away};
constexpr std::array put_answers{outcome{200, "The type, which was there"},
                                 outcome{201, "The type, which is new"}, bad, no_json, away};
constexpr std::array patch_type_answers{outcome{200, "The type"}, bad, unknown_type, no_json, away};
constexpr std::array type_answers{outcome{200, "The type"}, bad, unknown_type, away};
constexpr std::array types_answers{outcome{200, "`{\"types\": [TYPE]}`"}, away};
constexpr std::array counts_answers{
    outcome{
        200,
        "`{\"pending\", \"delayed\", \"processing\", \"success\", \"failed\", \"by_stage\", \"by_stage_complete\", \"oldest_pending_ms\"}`. `delayed` ones are pending, too. `by_stage` looks at ten thousand unfinished tasks, and says whether these were all"},
    bad, unknown_type, away};
constexpr std::array delete_answers{outcome{200, "`{\"name\", \"deleted\": true}`"}, bad, unknown_type,
                                    outcome{409, "It has tasks that have not ended"}, away};

}  // namespace

std::span<const web::route> routes() noexcept {
    static const std::array all{
        route{.method = "POST",
              .path = "/flow/v1/{namespace}/tasks",
              .needs = scope::submit,
              .name = "flow_create",
              .meaning = "Creates a task. With an `id` it may be repeated: the task is created once",
              .run = create_task,
              .query = create_query,
              .body = create_fields,
              .large = true,
              .by_queue = true,
              .answers = create_answers,
              .example = R"({"type": "video", "id": "o-4711", "content": {"src": "s3://films/1"}})"},
        route{.method = "POST",
              .path = "/flow/v1/{namespace}/tasks:batch",
              .needs = scope::submit,
              .name = "flow_create_batch",
              .meaning = "Creates many tasks; each has an answer of its own",
              .run = create_batch,
              .query = create_query,
              .body = create_batch_fields,
              .large = true,
              .by_queue = true,
              .answers = batch_answers,
              .example = R"({"tasks": [{"type": "video", "id": "o-1"}, {"type": "video", "id": "o-2"}]})"},
        route{.method = "GET",
              .path = "/flow/v1/{namespace}/tasks",
              .needs = scope::view,
              .name = "flow_list",
              .meaning = "Tasks by page: of a type the newest first, without `type` state by state",
              .run = list_flow_tasks,
              .query = list_query,
              .by_queue = true,
              .answers = list_answers},
        route{.method = "GET",
              .path = "/flow/v1/{namespace}/tasks/{type}/{id}",
              .needs = scope::view,
              .name = "flow_look",
              .meaning = "One task, now or when it has changed or ended",
              .run = look_at_task,
              .query = look_query,
              .by_queue = true,
              .answers = look_answers},
        route{
            .method = "DELETE",
            .path = "/flow/v1/{namespace}/tasks/{type}/{id}",
            .needs = scope::submit,
            .name = "flow_cancel",
            .meaning =
                "Cancels a task. Who holds it is told by his next report or extension, and what he reports does not count",
            .run = cancel_flow_task,
            .by_queue = true,
            .answers = cancel_answers},
        route{.method = "PATCH",
              .path = "/flow/v1/{namespace}/tasks/{type}/{id}",
              .needs = scope::submit,
              .name = "flow_change",
              .meaning = "Changes a task that nobody holds",
              .run = patch_task,
              .body = patch_fields,
              .headers = patch_headers,
              .large = true,
              .by_queue = true,
              .answers = patch_answers,
              .example = R"({"priority": 5})"},
        route{
            .method = "POST",
            .path = "/flow/v1/{namespace}/tasks/{type}/{id}:revive",
            .needs = scope::admin,
            .name = "flow_revive",
            .meaning =
                "Starts a task that has failed again, at its stage or another one, with all its retries. The body may be left out",
            .run = revive_flow_task,
            .body = revive_fields,
            .large = true,
            .answers = revive_answers,
            .example = R"({"stage": "transcode"})"},
        route{
            .method = "POST",
            .path = "/flow/v1/{namespace}/types/{type}:hold",
            .needs = scope::work,
            .name = "flow_hold",
            .meaning =
                "Takes tasks of a type, in their order: by priority, then as they fell due. The body may be left out",
            .run = hold_type,
            .body = hold_type_fields,
            .by_queue = true,
            .answers = hold_answers,
            .example = R"({"limit": 10, "wait_ms": 30000, "worker": "w-1"})"},
        route{.method = "POST",
              .path = "/flow/v1/{namespace}/hold",
              .needs = scope::work,
              .name = "flow_hold_types",
              .meaning = "Takes tasks of several types",
              .run = hold_types,
              .body = hold_fields,
              .by_queue = true,
              .answers = hold_answers,
              .example = R"({"types": [{"type": "video", "limit": 2}, {"type": "mail"}], "wait_ms": 30000})"},
        route{.method = "POST",
              .path = "/flow/v1/{namespace}/tasks/{type}/{id}:report",
              .needs = scope::work,
              .name = "flow_report",
              .meaning = "Says what became of a task that is held. May be repeated: it counts once",
              .run = report_flow_task,
              .body = report_fields,
              .large = true,
              .by_queue = true,
              .answers = report_answers,
              .example =
                  R"({"claim": "…", "outcome": "next", "stage": "transcode", "merge": {"size": 1024}})"},
        route{
            .method = "POST",
            .path = "/flow/v1/{namespace}/reports",
            .needs = scope::work,
            .name = "flow_reports",
            .meaning = "Reports many tasks, and takes the next ones in the same request",
            .run = report_many,
            .body = reports_fields,
            .large = true,
            .by_queue = true,
            .answers = reports_answers,
            .example =
                R"({"reports": [{"type": "video", "id": "o-1", "claim": "…", "outcome": "done"}], "hold": {"types": [{"type": "video"}]}})"},
        route{
            .method = "POST",
            .path = "/flow/v1/{namespace}/leases:extend",
            .needs = scope::work,
            .name = "flow_extend",
            .meaning =
                "Keeps tasks that are held for a lease more, from now on; with `wait_ms` until one of them is cancelled",
            .run = extend_leases,
            .body = leases_fields,
            .large = true,
            .by_queue = true,
            .answers = leases_answers,
            .example = R"({"leases": [{"type": "video", "id": "o-1", "claim": "…"}]})"},
        route{
            .method = "PUT",
            .path = "/flow/v1/{namespace}/types/{type}",
            .needs = scope::admin,
            .name = "flow_put_type",
            .meaning =
                "Makes a type, or sets all of it anew. It holds for tasks that are there, unless they brought their own",
            .run = put_type,
            .body = type_fields,
            .answers = put_answers,
            .example = R"({"max_retry": 5, "stages": ["start", "transcode"]})"},
        route{.method = "PATCH",
              .path = "/flow/v1/{namespace}/types/{type}",
              .needs = scope::admin,
              .name = "flow_patch_type",
              .meaning = "Changes what is given of a type; null is what it is without being set",
              .run = patch_type,
              .body = type_fields,
              .answers = patch_type_answers,
              .example = R"({"max_retry": null})"},
        route{.method = "GET",
              .path = "/flow/v1/{namespace}/types",
              .needs = scope::admin,
              .name = "flow_list_types",
              .meaning = "The types",
              .run = list_types,
              .answers = types_answers},
        route{.method = "GET",
              .path = "/flow/v1/{namespace}/types/{type}",
              .needs = scope::admin,
              .name = "flow_show_type",
              .meaning = "One type",
              .run = show_type,
              .answers = type_answers},
        route{.method = "POST",
              .path = "/flow/v1/{namespace}/types/{type}:pause",
              .needs = scope::admin,
              .name = "flow_pause_type",
              .meaning = "Nothing of it is held from now on; what is held goes on, and so does creation",
              .run = pause_type,
              .answers = type_answers},
        route{.method = "POST",
              .path = "/flow/v1/{namespace}/types/{type}:resume",
              .needs = scope::admin,
              .name = "flow_resume_type",
              .meaning = "Its tasks are held again",
              .run = resume_type,
              .answers = type_answers},
        route{.method = "GET",
              .path = "/flow/v1/{namespace}/types/{type}/counts",
              .needs = scope::admin,
              .name = "flow_count_type",
              .meaning = "How many tasks of it there are",
              .run = count_type,
              .query = count_type_query,
              .answers = counts_answers},
        route{.method = "DELETE",
              .path = "/flow/v1/{namespace}/types/{type}",
              .needs = scope::admin,
              .name = "flow_delete_type",
              .meaning = "The type is no more; what is kept of its tasks stays until its time is over",
              .run = delete_type,
              .query = delete_type_query,
              .answers = delete_answers},
    };
    return all;
}

}  // namespace errand::flow
