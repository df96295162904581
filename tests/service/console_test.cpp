// The web console: its files, who may ask what, and what it does, as a browser sees it.
#include <errand/error.hpp>

#include "service/console_calls.hpp"
#include "support/places.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using service_test::counter;
using service_test::post;
using service_test::same_site;
using service_test::view;

namespace {

const std::vector<std::string> pages{
    "/",        "/login",         "/queues",  "/queues/a%2Fb", "/tasks",
    "/tasks/x", "/tasks/x/graph", "/workers", "/handlers",     "/schedules",
    "/limits",  "/runs",          "/health",  "/tenants",      "/tasks?state=dead&group=error"};

errand::service_options with(const errand::console_options& console) {
    errand::service_options how;
    how.console = console;
    return how;
}

}  // namespace

TEST_CASE("every page of the console is there by its path, and lets in nothing but its own files",
          "[service]") {
    counter t;
    auto at = t.connect();
    for (const auto& page : pages) {
        INFO(page);
        const auto got = at.ask("GET", page);
        REQUIRE(got.status == 200);
        CHECK(got.headers.at("content-type") == "text/html; charset=utf-8");
        CHECK(
            got.headers.at("content-security-policy") ==
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri "
            "'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types errand");
        CHECK(got.headers.at("x-content-type-options") == "nosniff");
        CHECK(got.headers.at("referrer-policy") == "no-referrer");
        CHECK(got.headers.at("cache-control") == "no-store");
        CHECK(!got.headers.contains("access-control-allow-origin"));
        CHECK(got.body.find("<script>") == got.body.npos);
        CHECK(got.body.find("style=") == got.body.npos);
        CHECK(got.body.find('%') == got.body.npos);
    }
    CHECK(at.ask("GET", "/nonsense").status == 404);
    CHECK(at.ask("GET", "/favicon.ico").headers.at("content-type") == "image/svg+xml");
    CHECK(at.ask("POST", "/queues", "{}", {same_site}).status == 405);
}

TEST_CASE("the console's files are kept by browsers for ever, each under the build that it is of",
          "[service]") {
    counter t;
    auto at = t.connect();
    const auto page = at.ask("GET", "/").body;
    const std::string mark = "src=\"/ui/";
    const auto from = page.find(mark) + mark.size();
    const auto build = page.substr(from, page.find('/', from) - from);
    REQUIRE(build.size() == 16);
    const auto got = at.ask("GET", "/ui/" + build + "/app.js");
    CHECK(got.status == 200);
    CHECK(got.headers.at("content-type") == "text/javascript; charset=utf-8");
    CHECK(got.headers.at("cache-control") == "public, max-age=31536000, immutable");
    CHECK(at.ask("GET", "/ui/" + build + "/vendor/preact.js").status == 200);
    CHECK(at.ask("GET", "/ui/" + build + "/style.css").headers.at("content-type") ==
          "text/css; charset=utf-8");
    CHECK(at.ask("GET", "/ui/0000000000000000/app.js").status == 404);
    CHECK(at.ask("GET", "/ui/" + build + "/index.html").status == 404);
    CHECK(at.ask("GET", "/ui/" + build + "/vendor/nothing.js").status == 404);
    CHECK(at.ask("GET", "/ui/" + build + "/..%2Fapp.js").status == 404);
}

TEST_CASE("the console's files are read from a folder while somebody edits them, and from nowhere else",
          "[service]") {
    const auto place = errand::test::temporary_folder("console-files");
    std::ofstream{place / "index.html"} << "first %PREFIX% %BUILD%";
    std::ofstream{place.parent_path() / "console-secret.js"} << "secret";
    {
        counter t{with({.files = place.string()})};
        auto at = t.connect();
        CHECK(at.ask("GET", "/tasks").body == "first  edited");
        std::ofstream{place / "index.html"} << "second";
        CHECK(at.ask("GET", "/tasks").body == "second");
        std::ofstream{place / "app.js"} << "one";
        const auto got = at.ask("GET", "/ui/edited/app.js");
        CHECK(got.body == "one");
        CHECK(got.headers.at("cache-control") == "no-store");
        CHECK(at.ask("GET", "/ui/edited/..%2Fconsole-secret.js").status == 404);
        CHECK(at.ask("GET", "/ui/edited/../console-secret.js").status == 404);
    }
    std::filesystem::remove(place.parent_path() / "console-secret.js");
    std::filesystem::remove_all(place);
    errand::test::test_app t;
    CHECK_THROWS_MATCHES((errand::service{t.app, with({.files = place.string()})}), errand::usage_error,
                         MessageMatches(ContainsSubstring("index.html")));
}

TEST_CASE("under a prefix pages, files and calls are there whether or not it was taken off the path",
          "[service]") {
    counter t{with({.prefix = "/a/b"})};
    auto at = t.connect();
    for (const auto* page : {"/a/b", "/a/b/", "/a/b/tasks", "/tasks"}) {
        INFO(page);
        const auto got = at.ask("GET", page);
        REQUIRE(got.status == 200);
        CHECK_THAT(got.body, ContainsSubstring("content=\"/a/b\"") && ContainsSubstring("src=\"/a/b/ui/"));
    }
    CHECK(at.ask("GET", "/a/b" + t.path("/queues")).status == 200);
    CHECK(at.ask("GET", t.path("/queues")).status == 200);
    CHECK(at.ask("GET", "/a/b/ui/api/view/overview").status == 200);
    CHECK(at.ask("GET", "/a/bc/tasks").status == 404);
    errand::test::test_app other;
    for (const auto* prefix : {"a", "/", "/a/", "/a//b", "/a/../b", "/a b", "/a\"b"}) {
        INFO(prefix);
        CHECK_THROWS_MATCHES((errand::service{other.app, with({.prefix = prefix})}), errand::usage_error,
                             MessageMatches(ContainsSubstring("prefix")));
    }
}

TEST_CASE("a service offers no console that was told not to", "[service]") {
    counter t{with({.offered = false})};
    auto at = t.connect();
    CHECK(at.ask("GET", "/").status == 404);
    CHECK(at.ask("GET", "/ui/api/view/overview").status == 404);
    CHECK(at.ask("GET", t.path("/queues")).status == 200);
}

TEST_CASE("a change that no page of the console asks for is refused, and nothing changes", "[service]") {
    counter t;
    auto at = t.connect();
    const auto handle = t.run(t.app.perform("parcel", {1}));
    const std::string body = R"({"action": "cancel", "ids": [")" + handle.id() + "\"]}";
    const auto status = [&](std::vector<std::string> headers) {
        // Who is refused before the body is read is not listened to any more.
        auto fresh = t.connect();
        return post(fresh, "act", body, std::move(headers)).status;
    };
    CHECK(status({}) == 403);
    CHECK(status({"Sec-Fetch-Site: cross-site"}) == 403);
    CHECK(status({"Sec-Fetch-Site: same-site"}) == 403);
    CHECK(status({"Sec-Fetch-Site: none"}) == 403);
    CHECK(status({"Origin: http://evil.example"}) == 403);
    CHECK(status({"Origin: null"}) == 403);
    CHECK(status({same_site, "Origin: http://" + t.connect().host()}) != 403);
    // A form of another site cannot say that what it sends is JSON.
    for (const auto* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}) {
        INFO(type);
        auto other = t.connect();
        const auto run = t.run(t.app.perform("parcel", {2}));
        const std::string cancel = R"({"action": "cancel", "ids": [")" + run.id() + "\"]}";
        other.send("POST /ui/api/act HTTP/1.1\r\nHost: " + other.host() + "\r\n" + same_site +
                   "\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(cancel.size()) +
                   "\r\n\r\n" + cancel);
        CHECK(other.receive().status == 415);
        CHECK(t.task(run.id()).state == errand::state::ready);
    }
    auto foreign = t.connect();
    const auto run = t.run(t.app.perform("parcel", {3}));
    const std::string cancel = R"({"action": "cancel", "ids": [")" + run.id() + "\"]}";
    foreign.send("POST /ui/api/act HTTP/1.1\r\nHost: evil.example\r\n" + same_site +
                 "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(cancel.size()) +
                 "\r\n\r\n" + cancel);
    CHECK(foreign.receive().status == 403);
    CHECK(t.task(run.id()).state == errand::state::ready);
}

TEST_CASE("other sites may link to a page of the console, and may not read what it shows", "[service]") {
    counter t;
    auto at = t.connect();
    CHECK(at.ask("GET", "/tasks", {}, {"Sec-Fetch-Site: cross-site"}).status == 200);
    CHECK(at.ask("GET", "/ui/api/view/overview", {}, {"Sec-Fetch-Site: cross-site"}).status == 403);
    CHECK(at.ask("GET", "/ui/api/view/overview", {}, {"Origin: http://evil.example"}).status == 403);
    CHECK(at.ask("GET", "/ui/api/view/overview", {}, {same_site}).status == 200);
}

TEST_CASE("what users have written comes to the page as text, to the last digit, unless it is to be hidden",
          "[service]") {
    for (const bool hidden : {false, true}) {
        counter t{with({.hide_args = hidden})};
        const auto handle = t.run(t.app.perform("parcel", {std::int64_t{9007199254740993}}));
        t.start();
        t.wait(handle);
        auto at = t.connect();
        const auto task = view(at, "task?of=" + handle.id());
        if (hidden) {
            CHECK(task.at("args").is_null());
            CHECK(task.at("result").is_null());
        } else {
            CHECK(task.at("args") == "[9007199254740993]");
            CHECK(task.at("result") == "9007199254740993");
        }
        CHECK(task.at("args_hidden") == hidden);
        CHECK_THAT(std::string{task.at("why").as_string()}, ContainsSubstring("ended as success"));
    }
}

TEST_CASE("a page changes the arguments of a task by their text", "[service]") {
    counter t;
    auto at = t.connect();
    const auto handle = t.run(t.app.perform("parcel", {1}, {.delay = std::chrono::hours{1}}));
    const auto edit = [&](const std::string& args) {
        return post(at, "edit",
                    boost::json::serialize(boost::json::object{{"id", handle.id()}, {"args", args}}))
            .status;
    };
    CHECK(edit("[9007199254740993]") == 200);
    CHECK(t.task(handle.id()).args == boost::json::array{std::int64_t{9007199254740993}});
    CHECK(edit("[1") == 400);
    CHECK(edit("{}") == 400);
    CHECK(t.task(handle.id()).args == boost::json::array{std::int64_t{9007199254740993}});
    CHECK(post(at, "edit", R"({"id": ")" + handle.id() + R"(", "at": "2020-01-01T00:00:00Z"})").status ==
          200);
    errand::test::eventually([&] { return t.task(handle.id()).state == errand::state::ready; });
    t.start();
    t.wait(handle);
    CHECK(edit("[1]") == 409);
}

TEST_CASE("whoever watches a view hears of a change, and of the store's silence", "[service]") {
    counter t;
    const auto handle = t.run(t.app.perform("parcel", {1}));
    auto first = t.connect();
    auto second = t.connect();
    for (auto* one : {&first, &second}) {
        const auto head = one->ask("GET", "/ui/api/live/task?of=" + handle.id());
        REQUIRE(head.status == 200);
        CHECK(head.headers.at("content-type") == "text/event-stream");
        CHECK_THAT(one->receive_until("}\n\n"), ContainsSubstring("\"state\":\"ready\""));
        one->receive_until("event: beat");
    }
    auto at = t.connect();
    CHECK(view(at, "health").at("watchers") == 2);
    t.start();
    t.wait(handle);
    for (auto* one : {&first, &second}) one->receive_until("\"state\":\"success\"");
    first.close();
    errand::test::eventually([&] { return view(at, "health").at("watchers") == 1; });
    auto nobody = t.connect();
    nobody.ask("GET", "/ui/api/live/task?of=nonsense");
    CHECK_THAT(nobody.receive_until("}\n\n"),
               ContainsSubstring("event: trouble") && ContainsSubstring("not_found"));
    t.stop_service();
    while (!second.ended()) second.receive_until("\n\n");
}

TEST_CASE("the overview says what needs somebody", "[service]") {
    counter t;
    auto at = t.connect();
    CHECK(view(at, "overview").at("needs").as_array().empty());
    t.run(t.app.perform("parcel", {1}));
    const auto unserved = view(at, "overview");
    REQUIRE(unserved.at("needs").as_array().size() == 1);
    CHECK(unserved.at("needs").at(0).at("kind") == "unserved");
    CHECK(unserved.at("tasks").at("ready") == 1);
    REQUIRE(post(at, "queue", R"({"action": "pause", "of": "parcels"})").status == 200);
    CHECK(view(at, "overview").at("needs").at(0).at("kind") == "paused");
}

TEST_CASE("a task is found by its id and by its handler and biz_id", "[service]") {
    counter t;
    auto at = t.connect();
    const auto handle = t.run(t.app.perform("parcel", {1}, {.biz_id = "a:b"}));
    const auto find = [&](const std::string& text) {
        return at.ask("GET", "/ui/api/find?text=" + text).json().at("id");
    };
    CHECK(find(handle.id()).as_string() == handle.id());
    CHECK(find("parcel:a:b").as_string() == handle.id());
    CHECK(find("parcel:other").is_null());
    CHECK(find("nonsense").is_null());
}
