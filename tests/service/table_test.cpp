// Each row of the route table, held against what is promised of all of them. A row without an example here fails the test.
#include "service/counter.hpp"
#include "service/route.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <map>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using service_test::client;
using service_test::counter;
using service_test::path_with;
using service_test::response;
namespace web = errand::web;

namespace {

// What a call answers when nothing is wrong.
struct call_example {
    std::string body{};
    std::string query{};
    int status = 200;
    bool on_dead_task = false;
    bool with_schedule = false;
    bool with_run = false;
};

const std::map<std::string, call_example, std::less<>> call_examples{
    {"alive", {}},
    {"ready", {}},
    {"openapi", {}},
    {"submit_task", {.body = R"({"handler": "parcel", "args": [1]})", .status = 201}},
    {"submit_batch", {.body = R"({"tasks": [{"handler": "parcel", "args": [1]}]})"}},
    {"submit_plan",
     {.body =
          R"({"tasks": [{"name": "a", "handler": "parcel", "args": [1]}, {"handler": "parcel", "result_of": "a"}]})",
      .status = 201}},
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
    {"revive_task", {.on_dead_task = true}},
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
    {"remove_task", {}},
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
    {"run_schedule", {.status = 201, .with_schedule = true}},
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
                t.run(t.app.handler<service_test::parcel>().every(
                          1h,
                          {.begin = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) +
                                    8760h},
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

}  // namespace

TEST_CASE("each call does what its row says, says who asked, and leaves the connection open", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        const auto got = r.ask(at);
        INFO(got.body);
        CHECK(got.status == r.example.status);
        CHECK_FALSE(got.headers.at("x-request-id").empty());
        CHECK(got.headers.at("content-type").starts_with(one.type));
        CHECK(got.headers.at("cache-control") == "no-store");
        // What has no end is ended by closing it.
        const bool streams = one.type == "text/event-stream";
        CHECK(got.closes() == streams);
        if (!streams) CHECK(at.ask("GET", "/healthz").status == 200);
        // What a call answers is in its row.
        CHECK(std::ranges::any_of(one.answers,
                                  [&](const web::outcome& o) { return o.status == got.status; }));
    }
}

TEST_CASE("a call by another method is refused and says which there are", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        for (const auto* method : {"PUT", "OPTIONS", "TRACE", "DELETE"}) {
            const auto serves = [&](const web::route& other) {
                return other.path == one.path && other.method == method;
            };
            if (std::ranges::any_of(web::routes(), serves)) continue;
            const auto got = at.ask(method, r.path());
            CHECK(got.status == 405);
            CHECK(got.error_code() == "method_not_allowed");
            CHECK_THAT(got.headers.at("allow"), ContainsSubstring(std::string{one.method}));
        }
    }
}

TEST_CASE("a parameter that a call does not take is refused by name", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.path.find("{namespace}") == one.path.npos) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        const auto query = r.example.query.empty() ? "?colour=red" : r.example.query + "&colour=red";
        const auto got = at.ask(one.method, r.path() + query, r.example.body);
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == "colour");
        if (!r.example.query.empty()) {
            CHECK(at.ask(one.method, r.path() + r.example.query + '&' + r.example.query.substr(1)).status ==
                  400);
        }
    }
}

TEST_CASE("another namespace is answered the same whether there is one or not", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.path.find("{namespace}") == one.path.npos) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        // One that is there, with a task that ours has not.
        auto settings = r.t.app.settings();
        settings.name_space = "other-" + settings.name_space;
        errand::app other{settings};
        other.block_on(other.perform("parcel", {1}));
        const auto ask = [&](const std::string& name_space) {
            auto at = r.t.connect();
            return at.ask(one.method, r.path(name_space) + r.example.query, r.example.body);
        };
        const auto there = ask(settings.name_space);
        const auto nowhere = ask("no-such-thing");
        CHECK(there.status == 404);
        CHECK(there.body == nowhere.body);
        r.check_unchanged();
    }
}

TEST_CASE("a body that is no JSON object, or is not said to be one, is refused", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.body.empty()) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        for (const auto* text : {"{\"handler\": ", "[1]", "nothing", "{}x", "\xff", "{\"a\": 01}"}) {
            const auto got = at.ask(one.method, r.path(), text);
            INFO(text << got.body);
            CHECK(got.status == 400);
            CHECK(got.error_code() == "bad_request");
        }
        const std::string head = std::string{one.method} + ' ' + r.path() +
                                 " HTTP/1.1\r\nHost: " + at.host() +
                                 "\r\nContent-Length: " + std::to_string(r.example.body.size()) + "\r\n";
        for (const auto* type : {"", "Content-Type: text/plain\r\n", "Content-Type: application/jsonp\r\n",
                                 "Content-Type: application/x-www-form-urlencoded\r\n"}) {
            at.send(head + type + "\r\n" + r.example.body);
            CHECK(at.receive().status == 415);
        }
        at.send(head + "Content-Type: Application/JSON ; charset=utf-8\r\n\r\n" + r.example.body);
        CHECK(at.receive().status == r.example.status);
    }
}

TEST_CASE("a member that a call does not take is refused by name", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.body.empty()) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        auto body = r.example.body;
        body.insert(1, R"("colour": "red", )");
        const auto got = at.ask(one.method, r.path(), body);
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == "colour");
        const auto needed = std::ranges::find(one.body, true, &web::field::required);
        if (needed == one.body.end()) continue;
        const auto empty = at.ask(one.method, r.path(), "{}");
        CHECK(empty.status == 400);
        CHECK(empty.json().at("error").at("path") == boost::json::string_view{needed->name});
    }
}

TEST_CASE("a body that is too large is refused before it is read", "[service]") {
    errand::service_options how;
    how.max_body = 4096;
    for (const auto& one : web::routes()) {
        row r{one, how};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        at.send(std::string{one.method} + ' ' + r.path() + " HTTP/1.1\r\nHost: " + at.host() +
                "\r\nContent-Type: application/json\r\nContent-Length: 4097\r\n\r\n");
        const auto got = at.receive();
        CHECK(got.status == 413);
        CHECK(got.error_code() == "too_large");
        CHECK(got.closes());
        CHECK(at.ended());
        auto piecemeal = r.t.connect();
        piecemeal.send(std::string{one.method} + ' ' + r.path() + " HTTP/1.1\r\nHost: " + at.host() +
                       "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1001\r\n");
        CHECK(piecemeal.receive().status == 413);
        CHECK(piecemeal.ended());
    }
}

TEST_CASE("a call that needs little takes little, and less than the service takes of others", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        const auto most = one.large          ? errand::service_options{}.max_body
                          : one.body.empty() ? std::size_t{1024} * 1024
                                             : std::size_t{64} * 1024;
        auto at = r.t.connect();
        at.send(std::string{one.method} + ' ' + r.path() + r.example.query +
                " HTTP/1.1\r\nHost: " + at.host() + "\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(most + 1) + "\r\n\r\n");
        CHECK(at.receive().status == 413);
        CHECK(at.ended());
        r.check_unchanged();
        // White space to the last byte is JSON, and a body that is not wanted may be anything.
        auto full = r.t.connect();
        const auto body = r.example.body + std::string(most - r.example.body.size(), ' ');
        CHECK(full.ask(one.method, r.path() + r.example.query, body).status == r.example.status);
    }
}

TEST_CASE("a request has one Host header, and it names this service", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        const auto status = [&](const std::string& headers) {
            auto at = r.t.connect();
            at.send(r.bytes(headers));
            return at.receive().status;
        };
        CHECK(status("Host: evil.example\r\n") == 403);
        CHECK(status("Host: localhost.evil.example\r\n") == 403);
        CHECK(status("Host: 10.9.8.7\r\n") == 403);
        CHECK(status("Host: \r\n") == 400);
        CHECK(status("") == 400);
        CHECK(status("Host: localhost\r\nHost: localhost\r\n") == 400);
        CHECK(status("Host: localhost\r\nHost: evil.example\r\n") == 400);
        CHECK(status("Host: user@localhost\r\n") == 400);
        CHECK(status("Host: localhost:port\r\n") == 400);
        r.check_unchanged();
        CHECK(status("Host: LocalHost:1234\r\n") == r.example.status);
    }
}

TEST_CASE("what a page of another site has a browser ask is refused", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        const auto status = [&](const std::string& headers) {
            auto at = r.t.connect();
            at.send(r.bytes("Host: " + at.host() + "\r\n" + headers));
            return at.receive().status;
        };
        CHECK(status("Sec-Fetch-Site: cross-site\r\n") == 403);
        CHECK(status("Sec-Fetch-Site: same-site\r\n") == 403);
        CHECK(status("Origin: http://evil.example\r\n") == 403);
        CHECK(status("Origin: null\r\n") == 403);
        r.check_unchanged();
        CHECK(status("Sec-Fetch-Site: none\r\n") == r.example.status);
    }
}

TEST_CASE("a path that is none is answered 404 and tells nothing", "[service]") {
    counter t;
    auto at = t.connect();
    for (const auto* path : {"/v1", "/v2/x/tasks", "/healthz/", "//healthz", "/v1//tasks", "/ui/none"}) {
        const auto got = at.ask("GET", path);
        CHECK(got.status == 404);
        CHECK(got.error_code() == "not_found");
    }
    CHECK(at.ask("GET", t.path("/tasks/%zz")).status == 400);
    CHECK(at.ask("GET", t.path("/tasks/%00")).status == 400);
    CHECK(at.ask("GET", t.path("/tasks/no-id")).status == 404);
    CHECK(at.ask("GET", t.path("/tasks/../queues")).status == 404);
    // As long as the path says the same, it may be written otherwise.
    auto name = t.app.settings().name_space;
    CHECK(at.ask("GET", "/v1/%74" + name.substr(1) + "/queues").status == 200);
}
