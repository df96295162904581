// Rows of the route table for those who look after the work: queues, schedules, quota, limits, settings.
#include "service/calls.hpp"
#include "service/route_outcomes.hpp"

#include <array>

namespace errand::web {
namespace {

constexpr std::array remove_answers{outcome{200, "`{\"id\", \"removed\"}`"}, no_task, outcome{409, "It runs"},
                                    no_store};
constexpr std::array graph_answers{
    outcome{200, "The graph, as `errand graph --json` prints it: GRAPH in [cli.md](cli.md#errand-graph-id)"},
    unfit, no_task, no_store};
constexpr std::array history_answers{
    outcome{200, "`{\"days\": [DAY]}`, as `errand history --json` prints them: a line a day and queue"},
    unfit, no_store};
constexpr std::array start_run_answers{
    outcome{
        202,
        "RUN: `{\"id\", \"action\", \"on\", \"state\", \"stopping\", \"looked_at\", \"matched\", \"changed\", \"dry_run\", "
        "\"most\", \"rate\", \"who\", \"started_at\", \"ended_at\", \"trouble\"}`; `state` is `running`, `done`, `stopped` "
        "or `failed`, and `trouble` says why. Of `check` and `repair` also `findings`. `Location` is its path"},
    unfit, outcome{409, "Four runs are under way"}};
constexpr std::array list_runs_answers{outcome{200, "`{\"runs\": [RUN]}`, the latest first"}, unfit};
constexpr outcome no_run{404, "This service knows no such run"};
constexpr std::array run_seen_answers{outcome{200, "RUN"}, unfit, no_run};
constexpr std::array stop_run_answers{
    outcome{200, "RUN: it ends after the page that it is at; one that has ended stays as it is"}, unfit,
    no_run};
constexpr std::array figures_answers{outcome{200, "The figures, as `errand figures --json` prints them"},
                                     no_store};
constexpr std::array queue_answers{
    outcome{200, "`{\"queue\", \"paused\", \"changed\"}`; `changed` is false when it was so before"}, unfit,
    no_store};
constexpr std::array schedules_answers{
    outcome{200, "`{\"schedules\": [SCHEDULE], \"next\"}`, as `errand schedules --json` prints them"}, unfit,
    no_store};
constexpr outcome no_schedule{404, "The schedule is not there"};
constexpr std::array schedule_answers{outcome{200, "SCHEDULE with `upcoming`, its next five ticks"},
                                      no_schedule, no_store};
constexpr std::array switch_answers{outcome{200, "`{\"id\", \"state\", \"changed\"}`"}, no_schedule,
                                    no_store};
constexpr std::array run_answers{outcome{201, "`{\"id\"}`: the task that runs now"}, no_schedule,
                                 outcome{429, "The quota of the namespace is used up"}, no_store};
constexpr std::array declare_answers{
    outcome{200, "SCHEDULE with `upcoming`, as it is now; `Location` is its path"}, unfit,
    outcome{413, "The body is larger than the service takes"},
    outcome{429, "The quota of the namespace is used up"}, no_store};
constexpr std::array backfill_answers{outcome{200, "`{\"id\", \"runs\"}`: how many runs were made"}, unfit,
                                      no_schedule, outcome{429, "The quota of the namespace is used up"},
                                      no_store};
constexpr std::array show_quota_answers{
    outcome{200,
            "`{\"quota\", \"queued\", \"version\", \"by\", \"at\"}`, as `errand quota --json` prints it"},
    no_store};
constexpr std::array set_quota_answers{outcome{200, "The quota as it is now"}, unfit, no_store};
constexpr std::array make_token_answers{
    outcome{
        201,
        "TOKEN with `token`, which is shown this once: `{\"id\", \"name\", \"scopes\", \"queues\", \"rate\", "
        "\"expires_at\", \"kept_in\"}`. See [Who may ask](#who-may-ask)"},
    unfit, outcome{409, "The service asks nobody for a token"}, no_store};
constexpr std::array list_tokens_answers{
    outcome{
        200,
        "`{\"tokens\": [TOKEN]}`: those of the store, also such as are over, and those of this server's file"},
    no_store};
constexpr std::array revoke_token_answers{outcome{200, "`{\"revoked\"}`: how many"},
                                          outcome{404, "The store keeps no such token"}, no_store};
constexpr std::array settings_answers{
    outcome{200, "`{\"handler\", \"settings\", \"version\", \"by\", \"at\"}`"}, unfit, no_store};
constexpr std::array limits_answers{
    outcome{200, "`{\"limits\": [LIMIT]}`, as `errand limits --json` prints them"}, no_store};
constexpr std::array limit_answers{outcome{200, "LIMIT as it is now"},
                                   outcome{400, "There is no limit of that name, or the rule is none"},
                                   no_store};
constexpr std::array handlers_answers{
    outcome{200, "`{\"handlers\": [HANDLER]}`, as `errand handlers --json` prints them"}, no_store};
constexpr std::array configure_answers{
    outcome{200, "`{\"handler\", \"settings\", \"version\", \"by\", \"at\"}`"}, unfit,
    outcome{409, "Somebody else has changed them since that version"}, no_store};

}  // namespace

std::span<const route> operator_routes() noexcept {
    static const std::array all{
        route{.method = "DELETE",
              .path = "/v1/{namespace}/tasks/{id}",
              .needs = scope::operate,
              .name = "remove_task",
              .meaning = "Deletes a task that does not run, with its result",
              .run = remove_task,
              .answers = remove_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/tasks/{id}/graph",
              .needs = scope::view,
              .name = "show_graph",
              .meaning = "A task with what it depends on and what depends on it",
              .run = show_graph,
              .query = graph_query,
              .answers = graph_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/history",
              .needs = scope::view,
              .name = "show_history",
              .meaning = "How many tasks have ended, and how, day by day",
              .run = show_history,
              .query = history_query,
              .answers = history_answers},
        route{
            .method = "GET",
            .path = "/v1/{namespace}/figures",
            .needs = scope::view,
            .name = "show_figures",
            .meaning =
                "How many attempts of each handler have ended in the last hour, how long tasks waited and ran, and how many wait now",
            .run = show_figures,
            .answers = figures_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/queues/{queue}:pause",
              .needs = scope::operate,
              .name = "pause_queue",
              .meaning = "Nothing of the queue is started any more; what runs goes on",
              .run = pause_queue,
              .answers = queue_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/queues/{queue}:resume",
              .needs = scope::operate,
              .name = "resume_queue",
              .meaning = "The queue goes on",
              .run = resume_queue,
              .answers = queue_answers},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/runs",
            .needs = scope::operate,
            .name = "start_run",
            .meaning =
                "Does one thing to all tasks that match, or checks the store: the service goes on with it by itself. See [Runs](#runs)",
            .run = start_run,
            .body = run_fields,
            .answers = start_run_answers,
            .example = R"({"action": "revive", "state": "dead", "handler": "send_receipt", "rate": 50})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/runs",
              .needs = scope::view,
              .name = "list_runs",
              .meaning = "The last hundred runs of this service",
              .run = list_runs,
              .answers = list_runs_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/runs/{run}",
              .needs = scope::view,
              .name = "show_run",
              .meaning = "How far a run is",
              .run = show_run,
              .answers = run_seen_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/runs/{run}:stop",
              .needs = scope::operate,
              .name = "stop_run",
              .meaning = "Ends a run. What it has done stays done",
              .run = stop_run,
              .answers = stop_run_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/schedules",
              .needs = scope::view,
              .name = "list_schedules",
              .meaning = "The schedules, by page",
              .run = list_schedules,
              .query = schedule_query,
              .answers = schedules_answers},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/schedules",
            .needs = scope::submit,
            .name = "declare_schedule",
            .meaning =
                "Makes a schedule, or changes the one of this handler and key. May be repeated: it is made once",
            .run = declare_schedule,
            .body = schedule_fields,
            .large = true,
            .answers = declare_answers,
            .example =
                R"({"handler": "send_report", "key": "daily", "cron": "0 8 * * 1-5", "timezone": "Europe/Berlin"})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/schedules/{schedule}",
              .needs = scope::view,
              .name = "show_schedule",
              .meaning = "One schedule",
              .run = show_schedule,
              .answers = schedule_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/schedules/{schedule}:pause",
              .needs = scope::operate,
              .name = "pause_schedule",
              .meaning = "It ticks no more until it is resumed; what is missed is not made up",
              .run = pause_schedule,
              .answers = switch_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/schedules/{schedule}:resume",
              .needs = scope::operate,
              .name = "resume_schedule",
              .meaning = "It ticks again",
              .run = resume_schedule,
              .answers = switch_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/schedules/{schedule}:cancel",
              .needs = scope::operate,
              .name = "cancel_schedule",
              .meaning = "It ticks no more, until it is declared again",
              .run = cancel_schedule,
              .answers = switch_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/schedules/{schedule}:run",
              .needs = scope::operate,
              .name = "run_schedule",
              .meaning = "One run more, now, whatever it is waiting for",
              .run = run_schedule,
              .answers = run_answers},
        route{.method = "POST",
              .path = "/v1/{namespace}/schedules/{schedule}:backfill",
              .needs = scope::operate,
              .name = "backfill_schedule",
              .meaning = "A run for each tick between two times that has none, until now",
              .run = backfill_schedule,
              .body = backfill_fields,
              .answers = backfill_answers,
              .example = R"({"from": "2026-12-01T00:00:00Z", "to": "2026-12-02T00:00:00Z"})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/quota",
              .needs = scope::admin,
              .name = "show_quota",
              .meaning = "What the namespace may use of the store, and how much is queued",
              .run = show_quota,
              .answers = show_quota_answers},
        route{
            .method = "PUT",
            .path = "/v1/{namespace}/quota",
            .needs = scope::admin,
            .name = "set_quota",
            .meaning =
                "Sets what the namespace may use of the store, as a whole. What is not named is not limited",
            .run = set_quota,
            .body = quota_fields,
            .answers = set_quota_answers,
            .example = R"({"max_queued": 100000, "submit_rate": {"count": 500, "per_ms": 1000}})"},
        route{.method = "DELETE",
              .path = "/v1/{namespace}/quota",
              .needs = scope::admin,
              .name = "clear_quota",
              .meaning = "The namespace has no quota any more",
              .run = clear_quota,
              .answers = show_quota_answers},
        route{
            .method = "POST",
            .path = "/v1/{namespace}/tokens",
            .needs = scope::admin,
            .name = "make_token",
            .meaning =
                "Makes a token that lets in at all servers of the namespace that ask for one. The store keeps its SHA-256",
            .run = make_token,
            .body = token_fields,
            .answers = make_token_answers,
            .example =
                R"({"name": "shop", "scopes": ["submit"], "queues": ["mail"], "rate": {"count": 100}, "expires_in_ms": 2592000000})"},
        route{.method = "GET",
              .path = "/v1/{namespace}/tokens",
              .needs = scope::admin,
              .name = "list_tokens",
              .meaning = "Whose tokens there are, and what they are for",
              .run = list_tokens,
              .answers = list_tokens_answers},
        route{
            .method = "DELETE",
            .path = "/v1/{namespace}/tokens/{token}",
            .needs = scope::admin,
            .name = "revoke_token",
            .meaning =
                "Revokes the stored tokens of a name, or the one of an id: within a second no server lets them in, and what "
                "waits or is told events by them ends",
            .run = revoke_token,
            .answers = revoke_token_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/limits",
              .needs = scope::view,
              .name = "list_limits",
              .meaning = "The limits, with what runs under them and what waits",
              .run = list_limits,
              .answers = limits_answers},
        route{
            .method = "PUT",
            .path = "/v1/{namespace}/limits/{limit}",
            .needs = scope::operate,
            .name = "set_limit",
            .meaning =
                "Gives a limit another rule for all programs: one that is declared, `handler:NAME`, `queue:NAME` or "
                "`namespace`. What is not named is not limited",
            .run = set_limit,
            .body = limit_fields,
            .answers = limit_answers,
            .example = R"({"max_running": 5, "rate": {"count": 50, "per_ms": 1000}})"},
        route{.method = "DELETE",
              .path = "/v1/{namespace}/limits/{limit}",
              .needs = scope::operate,
              .name = "clear_limit",
              .meaning = "What is declared is in force again",
              .run = clear_limit,
              .answers = limit_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/handlers",
              .needs = scope::view,
              .name = "list_handlers",
              .meaning = "The handlers that workers have, with what is set of them",
              .run = list_handlers,
              .answers = handlers_answers},
        route{.method = "GET",
              .path = "/v1/{namespace}/handlers/{handler}/settings",
              .needs = scope::view,
              .name = "show_settings",
              .meaning = "What is set of a handler, whether a worker has it or not",
              .run = show_settings,
              .answers = settings_answers},
        route{.method = "PUT",
              .path = "/v1/{namespace}/handlers/{handler}/settings",
              .needs = scope::operate,
              .name = "configure_handler",
              .meaning = "Sets what goes before a handler's policy, as a whole: `{}` takes all back",
              .run = configure_handler,
              .body = settings_fields,
              .answers = configure_answers,
              .example = R"({"max_retry": 3, "timeout_ms": 300000})"},
    };
    return all;
}

}  // namespace errand::web
