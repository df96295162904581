// A row of the route table with what it answers, and a service to ask.
#pragma once

#include "service/counter.hpp"
#include "service/route.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace service_test {

namespace web = errand::web;

// What a call answers when nothing is wrong.
struct call_example {
    std::string body{};
    std::string query{};
    int status = 200;
    bool on_dead_task = false;
    bool with_schedule = false;
    bool with_run = false;
    int again = 0;                  // when the same is asked once more; 0: the same
    bool may_carry_key = false;     // an Idempotency-Key
    bool counts_each_time = false;  // each is a run of its own
};

inline const std::map<std::string, call_example, std::less<>> call_examples{
    {"alive", {}},
    {"ready", {}},
    {"openapi", {}},
    {"submit_task",
     {.body = R"({"handler": "parcel", "args": [1]})", .status = 201, .again = 200, .may_carry_key = true}},
    {"submit_batch", {.body = R"({"tasks": [{"handler": "parcel", "args": [1]}]})", .may_carry_key = true}},
    {"submit_plan",
     {.body =
          R"({"tasks": [{"name": "a", "handler": "parcel", "args": [1]}, {"handler": "parcel", "result_of": "a"}]})",
      .status = 201,
      .again = 200,
      .may_carry_key = true}},
    {"wait_for_tasks", {.body = R"({"ids": ["0198c5d2-7c3e-7f00-8000-000000000001"], "wait_ms": 60000})"}},
    {"start_run", {.body = R"({"action": "revive", "state": "dead"})", .status = 202}},
    {"list_runs", {}},
    {"show_run", {.with_run = true}},
    {"stop_run", {.with_run = true}},
    {"list_tasks", {.query = "?state=ready"}},
    {"show_task", {.query = "?wait_ms=0"}},
    {"watch_task", {}},
    {"watch_name_space", {}},
    {"change_task", {.body = R"({"priority": 3})"}},
    {"cancel_task", {}},
    {"revive_task", {.on_dead_task = true, .again = 409}},
    {"reschedule_task", {.body = R"({"delay_ms": 3600000})"}},
    {"list_queues", {}},
    {"claim_tasks", {.body = R"({"worker": "w", "queues": {"parcels": 1}})"}},
    {"report_batch",
     {.body =
          R"({"reports": [{"id": "0198c5d2-7c3e-7f00-8000-000000000001", "claim": "1.-.1.w", "outcome": "success"}]})"}},
    {"extend_batch",
     {.body = R"({"tasks": [{"id": "0198c5d2-7c3e-7f00-8000-000000000001", "claim": "1.-.1.w"}]})"}},
    // Of a task that nobody has claimed: tests of their own say the rest.
    {"report_task", {.body = R"({"claim": "1.-.1.w", "outcome": "success"})", .status = 409}},
    {"extend_task", {.body = R"({"claim": "1.-.1.w"})", .status = 409}},
    {"tell_progress", {.body = R"({"claim": "1.-.1.w", "done": 1})", .status = 409}},
    {"add_log", {.body = R"({"claim": "1.-.1.w", "lines": ["a"]})", .status = 409}},
    {"keep_stage", {.body = R"({"claim": "1.-.1.w", "name": "s"})", .status = 409}},
    {"read_stages", {.body = R"({"claim": "1.-.1.w"})", .status = 409}},
    {"list_workers", {}},
    {"metrics", {}},
    {"store_metrics", {}},
    {"remove_task", {.again = 404}},
    {"show_graph", {.query = "?limit=10"}},
    {"show_history", {.query = "?days=3"}},
    {"show_figures", {}},
    {"pause_queue", {}},
    {"resume_queue", {}},
    {"list_schedules", {.query = "?state=active"}},
    {"declare_schedule", {.body = R"({"handler": "parcel", "every_ms": 3600000, "mode": "once"})"}},
    {"backfill_schedule",
     {.body = R"({"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"})",
      .status = 400,
      .with_schedule = true}},
    {"show_quota", {}},
    {"set_quota", {.body = R"({"max_queued": 1000})"}},
    {"clear_quota", {}},
    // Of a service that asks nobody for a token: tests of their own say the rest.
    {"make_token", {.body = R"({"name": "shop", "scopes": ["view"]})", .status = 409}},
    {"list_tokens", {}},
    {"revoke_token", {.status = 404}},
    {"show_settings", {}},
    {"show_schedule", {.with_schedule = true}},
    {"pause_schedule", {.with_schedule = true}},
    {"resume_schedule", {.with_schedule = true}},
    {"cancel_schedule", {.with_schedule = true}},
    {"run_schedule", {.status = 201, .with_schedule = true, .counts_each_time = true}},
    {"list_limits", {}},
    {"set_limit", {.body = R"({"max_running": 5})"}},
    {"clear_limit", {}},
    {"list_handlers", {}},
    {"configure_handler", {.body = R"({"max_retry": 3})"}},
};

// A row, and a task that it may be asked of.
struct row {
    explicit row(const web::route& of, errand::service_options how = {}) : t{std::move(how)}, route{of} {
        const auto known = call_examples.find(of.name);
        INFO("the call " << of.name << " has no example");
        REQUIRE(known != call_examples.end());
        example = known->second;
        id = t.submit(R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})");
        if (example.on_dead_task) t.run(t.app.inspect().cancel(id));
        // Its first tick is far away.
        if (example.with_schedule)
            schedule =
                t.run(t.app.handler<parcel>().every(
                          std::chrono::hours{1},
                          {.begin = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) +
                                    std::chrono::hours{8760}},
                          1))
                    .id();
        if (example.with_run) {
            auto at = t.connect();
            const auto begun = at.ask("POST", t.path("/runs"), R"({"action": "cancel", "state": "dead"})");
            REQUIRE(begun.status == 202);
            run = begun.json().at("id").as_string();
        }
    }

    std::string path(const std::string& name_space) const {
        auto text = path_with(path_with(std::string{route.path}, "{namespace}", name_space), "{id}", id);
        text = path_with(path_with(text, "{queue}", "parcels"), "{limit}", "queue%3Aparcels");
        text = path_with(text, "{token}", "nobody");
        return path_with(path_with(path_with(text, "{handler}", "parcel"), "{schedule}", schedule), "{run}",
                         run);
    }
    std::string path() const { return path(t.app.settings().name_space); }
    response ask(client& at) const { return at.ask(route.method, path() + example.query, example.body); }
    // The request as bytes, with these headers in place of Host.
    std::string bytes(const std::string& headers) const {
        auto text = std::string{route.method} + ' ' + path() + example.query + " HTTP/1.1\r\n" + headers;
        if (!example.body.empty()) {
            text +=
                "Content-Type: application/json\r\nContent-Length: " + std::to_string(example.body.size()) +
                "\r\n";
        }
        return text + "\r\n" + example.body;
    }
    // What was refused has changed nothing and submitted nothing.
    void check_unchanged() {
        const auto in = example.on_dead_task ? errand::state::cancelled : errand::state::delayed;
        CHECK(t.task(id).state == in);
        for (const auto& queue : t.run(t.app.inspect().queues())) {
            for (const auto& [where, n] : queue.tasks) CHECK(n == (where == in ? 1U : 0U));
        }
    }

    counter t;
    const web::route& route;
    call_example example;
    std::string id;
    std::string schedule;
    std::string run;
};

}  // namespace service_test
