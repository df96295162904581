// Rows of the route table for programs that take tasks and report them.
#include "service/calls.hpp"
#include "service/route_outcomes.hpp"

#include <array>

namespace errand::web {
namespace {

constexpr outcome claim_over{
    409,
    "The claim is over (`claim_lost`): the lease has run out, the task was cancelled, or another outcome counts"};
constexpr std::array claim_answers{
    outcome{200,
            "`{\"tasks\": [CLAIMED]}`: see [Workers](#workers). None, when there was nothing for so long"},
    unfit, all_wait, no_store};
constexpr std::array report_batch_answers{
    outcome{
        200,
        "`{\"results\": [{\"id\", \"state\"} or {\"error\": {\"code\", \"message\", \"path\"}}]}`, one for each report, in "
        "order; with `claim` also `\"tasks\": [CLAIMED]`, and `\"claim_error\"` when none could be taken"},
    outcome{400, "The body as a whole does not fit, and nothing was reported or taken"},
    outcome{413, "The body is larger than the service takes"}, no_store};
constexpr std::array extend_batch_answers{
    outcome{
        200,
        "`{\"results\": [{\"id\", \"lease_until\"} or {\"error\": {\"code\", \"message\", \"path\"}}]}`, one for each "
        "task, in order"},
    outcome{400, "The body as a whole does not fit"}, no_store};
constexpr std::array report_answers{
    outcome{200, "`{\"id\", \"state\"}`: what the task is by this report; the same when it is repeated"},
    unfit,
    outcome{404, "The id is none"},
    claim_over,
    outcome{413, "The result is larger than the store keeps"},
    no_store};
constexpr std::array extend_answers{outcome{200, "`{\"id\", \"lease_until\"}`"}, unfit,
                                    outcome{404, "The id is none"}, claim_over, no_store};
constexpr std::array note_answers{outcome{200, "`{\"id\"}`"}, unfit, outcome{404, "The id is none"},
                                  claim_over, no_store};
constexpr std::array stage_answers{
    outcome{
        200,
        "`{\"name\", \"attempt\", \"started_at\", \"length_ms\", \"result\"}`: the stage as it is kept. One of this name "
        "that was kept before stays as it is"},
    unfit,
    outcome{404, "The id is none"},
    claim_over,
    outcome{413, "The result is larger than the store keeps, or all results of the task are"},
    no_store};
constexpr std::array stages_answers{
    outcome{200, "`{\"stages\": [STAGE]}`, in the order in which they were kept"}, unfit,
    outcome{404, "The id is none"}, claim_over, no_store};

}  // namespace

std::span<const route> work_routes() noexcept {
    static const std::array all{
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
