// The console's route table. Everything under /ui/api is its pages' own: programs use /v1, which stays as it is.
#include "service/console/calls.hpp"
#include "service/console/desk.hpp"

#include <array>

namespace errand::console {
namespace {

constexpr web::route page(std::string_view path) {
    return {.method = "GET", .path = path, .name = "page", .meaning = "A page", .run = show_page};
}

constexpr web::route file(std::string_view path) {
    return {.method = "GET", .path = path, .name = "file", .meaning = "A file of a page", .run = show_file};
}

constexpr web::route look(std::string_view path, web::handler run, web::fields query) {
    return {.method = "GET",
            .path = path,
            .needs = web::scope::view,
            .name = "look",
            .meaning = "What a page shows",
            .run = run,
            .query = query};
}

constexpr web::route change(std::string_view path, web::handler run, web::fields body) {
    return {.method = "POST",
            .path = path,
            .needs = web::scope::operate,
            .name = "change",
            .meaning = "What an operator does",
            .run = run,
            .body = body,
            .large = true};
}

}  // namespace

std::span<const web::route> routes() noexcept {
    static const std::array all{
        page("/"),
        page("/login"),
        page("/queues"),
        page("/queues/{queue}"),
        page("/tasks"),
        page("/tasks/{id}"),
        page("/tasks/{id}/graph"),
        page("/workers"),
        page("/handlers"),
        page("/schedules"),
        page("/limits"),
        page("/runs"),
        page("/health"),
        page("/tenants"),
        file("/favicon.ico"),
        file("/ui/{build}/{file}"),
        file("/ui/{build}/{folder}/{file}"),
        look("/ui/api/session", show_session, {}),
        web::route{.method = "POST",
                   .path = "/ui/api/login",
                   .name = "login",
                   .meaning = "Logs in",
                   .run = log_in,
                   .body = login_fields},
        web::route{.method = "POST",
                   .path = "/ui/api/logout",
                   .name = "logout",
                   .meaning = "Logs out",
                   .run = log_out},
        look("/ui/api/view/{view}", show_view, view_query),
        look("/ui/api/live/{view}", watch_view, view_query),
        look("/ui/api/tasks", show_tasks, tasks_query),
        look("/ui/api/failures", show_failures, tasks_query),
        look("/ui/api/find", find_task, find_query),
        change("/ui/api/act", act_on_tasks, act_fields),
        change("/ui/api/edit", edit_task, edit_fields),
        change("/ui/api/queue", switch_queue, switch_fields),
        change("/ui/api/handler", switch_handler, switch_fields),
        change("/ui/api/schedule", switch_schedule, switch_fields),
        change("/ui/api/run", start_run, run_fields),
        change("/ui/api/stop", stop_run, stop_fields),
    };
    return all;
}

}  // namespace errand::console
