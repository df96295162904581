// The web console: its files, who may ask what, and what it does, as a browser sees it.
#include <errand/error.hpp>

#include "service/console/causes.hpp"
#include "service/counter.hpp"
#include "service/token_list.hpp"
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
using service_test::client;
using service_test::counter;
using service_test::response;
namespace web = errand::web;

namespace {

const std::string same_site = "Sec-Fetch-Site: same-origin";
const std::string looker = "looker-token";
const std::string doer = "doer-token";
const std::string who_submits = "submitter-token";

const std::vector<std::string> pages{
    "/",        "/login",         "/queues",  "/queues/a%2Fb", "/tasks",
    "/tasks/x", "/tasks/x/graph", "/workers", "/handlers",     "/schedules",
    "/limits",  "/runs",          "/health",  "/tenants",      "/tasks?state=dead&group=error"};

errand::service_options with(const errand::console_options& console) {
    errand::service_options how;
    how.console = console;
    return how;
}

struct token_file {
    token_file() { write("ann", "bob"); }
    ~token_file() { std::filesystem::remove_all(place); }
    void write(const std::string& first, const std::string& second) const {
        std::string text;
        if (!first.empty()) text += web::token_line(first, {"view"}, looker);
        if (!second.empty())
            text +=
                web::token_line(second, {"operate"}, doer) + web::token_line("eve", {"submit"}, who_submits);
        std::ofstream{path() + ".new"} << text;
        std::filesystem::rename(path() + ".new", path());
    }
    std::string path() const { return (place / "tokens").string(); }
    errand::service_options options() const {
        errand::service_options how;
        how.tokens_file = path();
        return how;
    }
    std::filesystem::path place = errand::test::temporary_folder("console");
};

response post(client& at, const std::string& what, const std::string& body,
              std::vector<std::string> headers = {same_site}) {
    return at.ask("POST", "/ui/api/" + what, body, std::move(headers));
}

// Who is refused before the body is read is not listened to any more.
response post_anew(const counter& t, const std::string& what, const std::string& body,
                   std::vector<std::string> headers) {
    auto at = t.connect();
    return post(at, what, body, std::move(headers));
}

// "name=value" of what it has set.
std::string cookie_of(const response& got) {
    const auto& text = got.headers.at("set-cookie");
    return text.substr(0, text.find(';'));
}

std::string log_in(client& at, const std::string& token) {
    const auto got = post(at, "login", R"({"token": ")" + token + "\"}");
    INFO(got.body);
    REQUIRE(got.status == 200);
    return "Cookie: " + cookie_of(got);
}

boost::json::object view(client& at, const std::string& what) {
    const auto got = at.ask("GET", "/ui/api/view/" + what);
    INFO(got.body);
    REQUIRE(got.status == 200);
    return got.json().as_object();
}

// Dead ones, by a worker that has them fail.
std::vector<std::string> dead_tasks(counter& t, std::size_t n) {
    std::vector<std::string> ids;
    std::vector<errand::handle<boost::json::value>> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(t.run(t.app.perform("parcel", {"broken"})));
    t.start();
    for (const auto& one : all) {
        errand::test::eventually([&] { return t.task(one.id()).state == errand::state::dead; });
        ids.push_back(one.id());
    }
    t.stop();
    return ids;
}

boost::json::object ended_run(client& at, const std::string& body) {
    const auto begun = post(at, "run", body);
    INFO(begun.body);
    REQUIRE(begun.status == 202);
    const std::string id{begun.json().at("id").as_string()};
    boost::json::object found;
    errand::test::eventually([&] {
        const auto document = view(at, "runs");
        for (const auto& one : document.at("runs").as_array()) {
            if (one.at("id").as_string() == id) found = one.as_object();
        }
        return found.at("state").as_string() != "running";
    });
    return found;
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

TEST_CASE("who logs in gets a cookie that no script and no other site has, for what his token is for",
          "[service]") {
    const token_file tokens;
    counter t{tokens.options()};
    auto at = t.connect();
    CHECK(at.ask("GET", "/").status == 200);
    CHECK(at.ask("GET", "/ui/api/session").status == 401);
    CHECK(post(at, "login", R"({"token": "nonsense"})").status == 403);
    const auto got = post(at, "login", R"({"token": ")" + looker + "\"}");
    REQUIRE(got.status == 200);
    CHECK_THAT(got.headers.at("set-cookie"), ContainsSubstring("HttpOnly") &&
                                                 ContainsSubstring("SameSite=Strict") &&
                                                 ContainsSubstring("Path=/ui/") &&
                                                 !ContainsSubstring(looker) && !ContainsSubstring("Secure"));
    CHECK_THAT(post(at, "login", R"({"token": ")" + looker + "\"}", {same_site, "X-Forwarded-Proto: https"})
                   .headers.at("set-cookie"),
               ContainsSubstring("; Secure"));
    const auto looks = "Cookie: other=1; " + cookie_of(got);
    const auto seen = at.ask("GET", "/ui/api/session", {}, {looks});
    REQUIRE(seen.status == 200);
    CHECK(seen.json().at("user") == "ann");
    CHECK(seen.json().at("may_change") == false);
    const auto acts = log_in(at, doer);
    CHECK(at.ask("GET", "/ui/api/session", {}, {acts}).json().at("may_change") == true);
    const std::string pause = R"({"action": "pause", "of": "parcels"})";
    t.run(t.app.perform("parcel", {1}));
    CHECK(post_anew(t, "queue", pause, {looks, same_site}).status == 403);
    CHECK(t.run(t.app.inspect().queues()).front().paused == false);
    CHECK(post_anew(t, "queue", pause, {acts, same_site}).status == 200);
    CHECK(t.run(t.app.inspect().queues()).front().paused == true);
    // It is for the console alone, and only from its pages.
    CHECK(at.ask("GET", t.path("/queues"), {}, {acts}).status == 401);
    CHECK(post_anew(t, "queue", pause, {acts}).status == 403);
    // Programs with a token of their own need no browser.
    CHECK(post_anew(t, "queue", R"({"action": "resume", "of": "parcels"})", {"Authorization: Bearer " + doer})
              .status == 200);
    CHECK(post_anew(t, "queue", pause, {"Authorization: Bearer " + looker}).status == 403);
    // As over /v1: who submits looks after nobody else's tasks.
    CHECK(post_anew(t, "queue", pause, {"Authorization: Bearer " + who_submits}).status == 403);
}

TEST_CASE("a login ends with its token, and none can be made up", "[service]") {
    const token_file tokens;
    counter t{tokens.options()};
    auto at = t.connect();
    const auto cookie = log_in(at, doer);
    const auto status = [&](const std::string& header) {
        return at.ask("GET", "/ui/api/session", {}, {header}).status;
    };
    CHECK(status(cookie) == 200);
    auto altered = cookie;
    altered.back() = altered.back() == '0' ? '1' : '0';
    CHECK(status(altered) == 401);
    auto renamed = cookie;
    renamed.replace(renamed.find("bob"), 3, "ann");
    CHECK(status(renamed) == 401);
    auto longer = cookie;
    longer.insert(longer.find(':', longer.find("bob")) + 1, "9");
    CHECK(status(longer) == 401);
    CHECK(status("Cookie: errand_session=") == 401);
    CHECK(status("Cookie: errand_session=:::") == 401);
    tokens.write("ann", "");
    CHECK(status(cookie) == 401);
    // The same name with another token is somebody else.
    std::ofstream{tokens.path() + ".new"} << web::token_line("bob", {"operate"}, "another-token");
    std::filesystem::rename(tokens.path() + ".new", tokens.path());
    CHECK(status(cookie) == 401);
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

TEST_CASE("a run counts first, does so many as it may, and can be stopped", "[service]") {
    counter t;
    auto at = t.connect();
    const auto ids = dead_tasks(t, 12);
    const auto counted = ended_run(at, R"({"action": "revive", "state": "dead", "dry_run": true})");
    CHECK(counted.at("matched") == 12);
    CHECK(t.tasks_in(errand::state::dead) == 12);
    const auto some =
        ended_run(at, R"({"action": "revive", "state": "dead", "queue": "parcels", "most": 5})");
    CHECK(some.at("changed") == 5);
    CHECK(some.at("state") == "done");
    CHECK(t.tasks_in(errand::state::dead) == 7);
    const auto slow = post(at, "run", R"({"action": "remove", "state": "dead", "rate": 1})");
    REQUIRE(slow.status == 202);
    const std::string id{slow.json().at("id").as_string()};
    errand::test::eventually([&] { return t.tasks_in(errand::state::dead) < 7; });
    CHECK(post(at, "stop", R"({"id": ")" + id + "\"}").json().at("changed") == true);
    boost::json::object run;
    errand::test::eventually([&] {
        run = view(at, "runs").at("runs").as_array().front().as_object();
        return run.at("state") == "stopped";
    });
    CHECK(run.at("changed").to_number<std::size_t>() == 7 - t.tasks_in(errand::state::dead));
    CHECK(t.tasks_in(errand::state::dead) > 0);
    CHECK(post(at, "stop", R"({"id": ")" + id + "\"}").json().at("changed") == false);
    CHECK(post(at, "run", R"({"action": "revive"})").status == 400);
    CHECK(post(at, "run", R"({"action": "explode", "state": "dead"})").status == 400);
}

TEST_CASE("failures are shown by their cause, and a run is of one cause alone", "[service]") {
    counter t;
    auto at = t.connect();
    const auto ids = dead_tasks(t, 3);
    const auto got = at.ask("GET", "/ui/api/failures?state=dead");
    REQUIRE(got.status == 200);
    const auto document = got.json();
    const auto& groups = document.at("groups").as_array();
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].at("count") == 3);
    const std::string cause{groups[0].at("cause").as_string()};
    CHECK_THAT(cause, ContainsSubstring("it fell down"));
    const auto order = [&](const std::string& of) {
        return ended_run(at, boost::json::serialize(boost::json::object{
                                 {"action", "revive"}, {"state", "dead"}, {"cause", of}, {"most", 2}}));
    };
    CHECK(order("another cause").at("changed") == 0);
    CHECK(order(cause).at("changed") == 2);
    CHECK(t.tasks_in(errand::state::dead) == 1);
}

TEST_CASE("what is done by the console is written down with who did it", "[service]") {
    const token_file tokens;
    counter t{tokens.options()};
    auto at = t.connect();
    const auto cookie = log_in(at, doer);
    const auto handle = t.run(t.app.perform("parcel", {1}));
    REQUIRE(post(at, "act", R"({"action": "cancel", "ids": [")" + handle.id() + "\"]}", {cookie, same_site})
                .status == 200);
    CHECK(t.task(handle.id()).state == errand::state::cancelled);
    const auto got = at.ask("GET", "/ui/api/view/runs", {}, {cookie});
    const auto document = got.json();
    const auto& actions = document.at("actions").as_array();
    REQUIRE(actions.size() == 1);
    CHECK(actions[0].at("who") == "bob");
    CHECK(actions[0].at("what") == "cancel");
    CHECK(actions[0].at("on").as_string() == "task " + handle.id());
    CHECK(actions[0].at("came") == "done");
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

TEST_CASE("errors have the same cause when they differ in ids and numbers alone", "[service]") {
    const auto cause = [](const std::string& text) {
        return errand::console::cause_of(errand::task_error{.type = "E", .message = text});
    };
    CHECK(cause("no route to 10.0.0.7:6379 after 30s") == cause("no route to 10.0.0.12:6380 after 5s"));
    CHECK(cause("order 0198c5d2-7c1e-7a30-9d44-6a0b8f1f2c11 is gone") ==
          cause("order abcdefab-ffff-7a30-abcd-6a0b8f1f2c12 is gone"));
    CHECK(cause("1,204 of 3 rows") == cause("7 of 3,000 rows"));
    CHECK(cause("disk is full") != cause("disk is gone"));
    CHECK(cause("disk is full") == "E: disk is full");
    CHECK(cause("code 12") == "E: code …");
    CHECK(cause(std::string(10'000, 'x')).size() < 300);
    CHECK(cause("") == "E: ");
}
