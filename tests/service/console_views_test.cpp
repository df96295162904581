// What the console's pages are told of rules, places and settings.
#include <errand/error.hpp>

#include "service/console/links.hpp"
#include "service/console/settings_words.hpp"
#include "service/console_calls.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::test::eventually;
using service_test::counter;
using service_test::view;

namespace {

const std::string known_trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string known_traceparent = "00-" + known_trace + "-00f067aa0ba902b7-01";

errand::service_options linking(const std::string& trace_url, const std::string& log_url = {}) {
    errand::service_options how;
    how.console.trace_url = trace_url;
    how.console.log_url = log_url;
    return how;
}

}  // namespace

TEST_CASE("the console says who waits at a limit, and with what task it goes on", "[service]") {
    counter t;
    auto at = t.connect();
    CHECK(view(at, "limits").at("waiters").as_array().empty());
    t.run(t.app.set_limit("queue:parcels", errand::limit_rule{.max_running = 0}));
    for (int i = 0; i < 3; ++i) t.run(t.app.perform("parcel", {i}));
    t.start();
    std::int64_t waiting = 0;
    boost::json::array rows;
    eventually([&] {
        rows = view(at, "limits").at("waiters").as_array();
        waiting = 0;
        for (const auto& row : rows) waiting += row.at("waiting").to_number<std::int64_t>();
        return waiting == 3;
    });
    for (const auto& row : rows) {
        CHECK(row.at("limit") == "queue:parcels");
        CHECK_FALSE(row.at("keyed").as_bool());
        const auto& first = row.at("first");
        CHECK(first.at("handler") == "parcel");
        CHECK_FALSE(first.at("due_at").is_null());
        CHECK(t.task(std::string{first.at("id").as_string()}).state == errand::state::ready);
    }
    t.run(t.app.clear_limit("queue:parcels"));
    eventually([&] { return view(at, "limits").at("waiters").as_array().empty(); });
}

TEST_CASE("the console is told of each handler's waits, runs and whole lives", "[service]") {
    counter t;
    t.start();
    for (int i = 0; i < 3; ++i) t.wait(t.run(t.app.perform("parcel", {i})));
    t.stop();
    auto at = t.connect();
    const auto handlers = view(at, "handlers").at("handlers").as_array();
    REQUIRE(handlers.size() == 1);
    for (const auto* name : {"wait", "run", "total"}) {
        INFO(name);
        const auto& times = handlers[0].at(name);
        CHECK(times.at("count") == 3);
        CHECK(times.at("p50_us").to_number<std::int64_t>() <= times.at("p95_us").to_number<std::int64_t>());
        CHECK(times.at("p95_us").to_number<std::int64_t>() <= times.at("p99_us").to_number<std::int64_t>());
    }
}

TEST_CASE("a task is linked to its trace and its log lines, as they are named") {
    using errand::console::link_of;
    errand::task_info task;
    task.id = "0123";
    task.handler = "send mail";
    task.queue = "a/b";
    CHECK(link_of("", task) == std::nullopt);
    CHECK(link_of("https://logs/?q={id}&of={handler}#{queue}", task) ==
          "https://logs/?q=0123&of=send%20mail#a%2Fb");
    CHECK(link_of("https://logs/all", task) == "https://logs/all");
    CHECK(link_of("https://traces/{trace_id}", task) == std::nullopt);
    task.headers["traceparent"] = known_traceparent;
    CHECK(link_of("https://traces/{trace_id}/{id}", task) == "https://traces/" + known_trace + "/0123");
    task.headers["traceparent"] = "nonsense";
    CHECK(link_of("https://traces/{trace_id}", task) == std::nullopt);
}

TEST_CASE("links that are no addresses of the web, or name what there is not, are refused") {
    errand::app app{errand::test::fresh_settings()};
    const auto made = [&](const errand::service_options& how) { errand::service{app, how}; };
    const auto says = [](const char* what) { return MessageMatches(ContainsSubstring(what)); };
    CHECK_THROWS_MATCHES(made(linking("javascript:alert(1)")), errand::usage_error,
                         says("service_options .console.trace_url: \"javascript:alert(1)\" is no address"));
    CHECK_THROWS_MATCHES(made(linking("", "https://logs/a b")), errand::usage_error,
                         says("service_options .console.log_url: "));
    CHECK_THROWS_MATCHES(made(linking("https://traces/{trace}")), errand::usage_error,
                         says("{trace} means nothing; there are {trace_id}"));
    CHECK_THROWS_AS(made(linking("https://traces/{trace_id")), errand::usage_error);
    CHECK_NOTHROW(made(linking("https://traces/{trace_id}", "http://logs/{id}")));
}

TEST_CASE("the page of a task is told of its links", "[service]") {
    counter t{linking("https://traces/{trace_id}", "https://logs/{id}")};
    auto at = t.connect();
    const auto traced =
        t.run(t.app.perform("parcel", {1}, {.headers = {{"traceparent", known_traceparent}}}));
    const auto seen = view(at, "task?of=" + traced.id());
    CHECK(seen.at("trace_url").as_string() == "https://traces/" + known_trace);
    CHECK(seen.at("log_url").as_string() == "https://logs/" + traced.id());
    const auto untraced = t.run(t.app.perform("parcel", {2}));
    CHECK(view(at, "task?of=" + untraced.id()).at("trace_url").is_null());
}

TEST_CASE("how a service is set is said in words, without what is secret") {
    errand::config app;
    app.store = "redis://anna:hidden-word@cache:7000/1";
    app.encryption_keys = "2026-11:hidden-key";
    errand::service_options service;
    service.tokens_file = "/etc/hidden-file";
    service.hosts = {"console.example.com"};
    service.console.hide_args = true;
    service.console.trace_url = "https://user:hidden-word@traces.example.com/{trace_id}?key=hidden-key";
    std::string all;
    for (const auto& [about, words] :
         errand::console::settings_in_words(app, service, {.encrypts = true, .traces = false}))
        all += std::string{about} + ": " + words + '\n';
    INFO(all);
    CHECK_THAT(
        all, ContainsSubstring("Tasks are kept: in redis://cache:7000/1, asked for 10s while it is away\n"));
    CHECK_THAT(all, ContainsSubstring("Their content: encrypted\n"));
    CHECK_THAT(all, ContainsSubstring("At most: 1 MiB of arguments or result, 8 MiB of a request\n"));
    CHECK_THAT(all, ContainsSubstring("Let in: who has a token of its file\n"));
    CHECK_THAT(all, ContainsSubstring("Arguments and results: shown to nobody here\n"));
    CHECK_THAT(all, ContainsSubstring("Spans: not sent\n"));
    CHECK_THAT(all, ContainsSubstring("Links: traces at traces.example.com\n"));
    CHECK_THAT(all, ContainsSubstring("Asked as: console.example.com\n"));
    CHECK(all.find("hidden") == all.npos);
    service.tokens_file.clear();
    service.allow_anyone = true;
    const auto open = errand::console::settings_in_words(app, service, {});
    CHECK(std::ranges::any_of(open, [](const auto& one) {
        return one.words == "everybody who reaches it, without a token";
    }));
}

TEST_CASE("the page of health is told how the service is set", "[service]") {
    counter t;
    auto at = t.connect();
    const auto config = view(at, "health").at("config").as_array();
    const auto words_about = [&](const char* what) {
        for (const auto& one : config) {
            if (one.at(0) == what) return std::string{one.at(1).as_string()};
        }
        return std::string{};
    };
    CHECK(words_about("Let in") == "everybody on this machine, without a token");
    CHECK(words_about("Arguments and results") == "shown here");
}

TEST_CASE("the console shows namespaces beside each other, with their quotas", "[service][shared_by_apps]") {
    auto settings = errand::test::fresh_settings();
    auto of_other = settings;
    of_other.name_space += "-other";
    errand::test::test_app other{of_other};
    other.run(other.app.set_quota({.max_queued = 7}));
    for (int i = 0; i < 3; ++i) other.run(other.app.perform("parcel", {i}));
    settings.name_spaces = {{settings.name_space, 1}, {of_other.name_space, 3}};
    counter t{{}, settings};
    t.run(t.app.perform("parcel", {1}));
    auto at = t.connect();
    CHECK(at.ask("GET", "/ui/api/session").json().at("name_spaces") == 2);
    const auto seen = view(at, "tenants");
    CHECK(seen.at("all") == 2);
    const auto rows = seen.at("tenants").as_array();
    REQUIRE(rows.size() == 2);
    const auto row_named = [&](const std::string& name) {
        const auto found =
            std::ranges::find_if(rows, [&](const auto& one) { return one.at("name").as_string() == name; });
        REQUIRE(found != rows.end());
        return found->as_object();
    };
    const auto own = row_named(settings.name_space);
    CHECK(own.at("weight") == 1);
    CHECK(own.at("queued") == 1);
    CHECK(own.at("quota").at("max_queued").is_null());
    const auto theirs = row_named(of_other.name_space);
    CHECK(theirs.at("weight") == 3);
    CHECK(theirs.at("queued") == 3);
    CHECK(theirs.at("ready") == 3);
    CHECK(theirs.at("quota").at("max_queued") == 7);
    CHECK(theirs.at("workers") == 0);
}

TEST_CASE("a service of one namespace shows that as its only tenant", "[service]") {
    counter t;
    auto at = t.connect();
    const auto rows = view(at, "tenants").at("tenants").as_array();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("name").as_string() == t.app.settings().name_space);
}

TEST_CASE("the console remembers how many were ready in each queue", "[service]") {
    counter t;
    for (int i = 0; i < 3; ++i) t.run(t.app.perform("parcel", {i}));
    auto at = t.connect();
    const auto recent = [&] { return view(at, "queue?of=parcels").at("recent").as_array(); };
    eventually([&] { return !recent().empty(); });
    CHECK(recent()[0] == 3);
    const auto listed = view(at, "queues").at("queues").as_array();
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].at("recent").at(0) == 3);
}

TEST_CASE("chosen tasks get another due time together, and what is not there gets none", "[service]") {
    counter t;
    const auto first = t.run(t.app.perform("parcel", {1}));
    const auto second = t.run(t.app.perform("parcel", {2}, {.delay = std::chrono::hours{1}}));
    auto at = t.connect();
    const auto ask = [&](const std::string& more) {
        return at.ask("POST", "/ui/api/act",
                      R"({"action": "reschedule", "ids": [")" + first.id() + R"(", ")" + second.id() +
                          R"(", "0198c5d2-7c1e-7000-8000-000000000000"])" + more + '}',
                      {"Sec-Fetch-Site: same-origin"});
    };
    CHECK(ask("").status == 400);
    const auto got = ask(R"(, "at": "2100-01-01T00:00:00Z")");
    INFO(got.body);
    REQUIRE(got.status == 200);
    CHECK(got.json().at("changed") == 2);
    for (const auto& id : {first.id(), second.id()}) {
        const auto task = t.task(id);
        CHECK(task.state == errand::state::delayed);
        CHECK(task.due_at > std::chrono::system_clock::now() + std::chrono::hours{24});
    }
}
