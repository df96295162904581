// Who logs in to the console, what his cookie lets him do, and what is written down of it.
#include "service/console_calls.hpp"
#include "service/token_folder.hpp"

#include <boost/json/array.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using service_test::client;
using service_test::counter;
using service_test::post;
using service_test::response;
using service_test::same_site;
using service_test::token_folder;
using service_test::with_tokens;
namespace web = errand::web;

namespace {

const std::string looker = "looker-token";
const std::string doer = "doer-token";
const std::string who_submits = "submitter-token";

std::string lines_of(const std::string& looks, const std::string& acts) {
    std::string text;
    if (!looks.empty()) text += web::token_line(looks, {"view"}, looker);
    if (!acts.empty())
        text += web::token_line(acts, {"operate"}, doer) + web::token_line("eve", {"submit"}, who_submits);
    return text;
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

}  // namespace

TEST_CASE("who logs in gets a cookie that no script and no other site has, for what his token is for",
          "[service]") {
    const token_folder tokens;
    counter t{with_tokens(tokens.file(lines_of("ann", "bob")))};
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
    const token_folder tokens;
    counter t{with_tokens(tokens.file(lines_of("ann", "bob")))};
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
    tokens.file(lines_of("ann", ""));
    CHECK(status(cookie) == 401);
    // The same name with another token is somebody else.
    tokens.file(web::token_line("bob", {"operate"}, "another-token"));
    CHECK(status(cookie) == 401);
}

TEST_CASE("what is done by the console is written down with who did it", "[service]") {
    const token_folder tokens;
    counter t{with_tokens(tokens.file(lines_of("ann", "bob")))};
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
