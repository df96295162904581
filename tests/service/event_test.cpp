// Server-sent events of the REST interface.
#include "service/counter.hpp"
#include "service/instant.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using service_test::counter;
namespace web = errand::web;

namespace {

struct token_place {
    ~token_place() { std::filesystem::remove_all(path); }
    std::string file(const std::string& text) const {
        const auto name = (path / "tokens").string();
        std::ofstream{name + ".next"} << text;
        std::filesystem::rename(name + ".next", name);
        return name;
    }
    std::filesystem::path path = errand::test::temporary_folder("tokens");
};

void read_to_the_end(service_test::client& at) {
    while (!at.ended()) at.receive_until("\n\n");
}

// The next document that is told; beats and what comes before them are passed over.
boost::json::value next_document(service_test::client& at) {
    for (;;) {
        const auto part = at.receive_until("\n\n");
        if (part.starts_with("data: ")) return boost::json::parse(part.substr(6));
    }
}

}  // namespace

TEST_CASE("whoever watches a task hears how it is, of each change, and of its end", "[service]") {
    counter t;
    const auto id = t.submit(R"({"handler": "parcel", "args": [1]})");
    auto first = t.connect();
    auto second = t.connect();
    for (auto* one : {&first, &second}) {
        const auto head = one->ask("GET", t.path("/tasks/" + id + "/events"));
        REQUIRE(head.status == 200);
        CHECK(head.headers.at("content-type") == "text/event-stream");
        CHECK(next_document(*one).at("state") == "ready");
        one->receive_until("event: beat\ndata: {}\n\n");
    }
    // One who has gone takes nothing from the other.
    first.close();
    t.app.block_on(t.app.start());
    auto seen = next_document(second);
    while (seen.at("state") != "success") seen = next_document(second);
    CHECK(seen.at("id") == boost::json::string_view{id});
    CHECK(seen.at("result") == 1);
    CHECK_THAT(second.receive_until("\n\n"), ContainsSubstring("event: end"));
    CHECK(second.ended());
    // Whoever comes late hears how it has ended.
    auto late = t.connect();
    CHECK(late.ask("GET", t.path("/tasks/" + id + "/events")).status == 200);
    CHECK(next_document(late).at("state") == "success");
    CHECK_THAT(late.receive_until("\n\n"), ContainsSubstring("event: end"));
    CHECK(late.ended());
    auto at = t.connect();
    CHECK(at.ask("GET", t.path("/tasks/0198c5d2-7c3e-7f00-8000-000000000001/events")).status == 404);
}

TEST_CASE("whoever watches the namespace hears of its queues, until the service stops", "[service]") {
    counter t;
    auto at = t.connect();
    REQUIRE(at.ask("GET", t.path("/events")).status == 200);
    CHECK(next_document(at).at("queues").as_array().empty());
    t.submit(R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})");
    auto seen = next_document(at);
    while (seen.at("queues").as_array().empty()) seen = next_document(at);
    CHECK(seen.at("queues").at(0).at("name") == "parcels");
    CHECK(seen.at("complete") == true);
    t.stop_service();
    while (!at.ended()) at.receive_until("\n\n");
}

TEST_CASE("as many watch as may wait, and who is too many is told so", "[service]") {
    errand::service_options how;
    how.max_waiting = 1;
    counter t{how};
    auto first = t.connect();
    REQUIRE(first.ask("GET", t.path("/events")).status == 200);
    next_document(first);
    eventually([&] {
        auto next = t.connect();
        return next.ask("GET", t.path("/events")).error_code() == "busy";
    });
    first.close();
    eventually([&] {
        auto next = t.connect();
        return next.ask("GET", t.path("/events")).status == 200;
    });
}

TEST_CASE("who may not look any more hears nothing more of what he watches, and others do", "[service]") {
    const token_place place;
    const auto chief = web::token_line("zoe", {"operate"}, "chief-token");
    errand::service_options how;
    how.tokens_file = place.file(chief + web::token_line("ann", {"view"}, "ann-token"));
    counter t{how};
    auto at = t.connect();
    const std::string body = R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})";
    const auto made = at.ask("POST", t.path("/tasks"), body, {"X-Token: chief-token"});
    REQUIRE(made.status == 201);
    const auto of_task = t.path("/tasks/") + std::string{made.json().at("id").as_string()} + "/events";
    const auto login =
        at.ask("POST", "/ui/api/login", R"({"token": "ann-token"})", {"Sec-Fetch-Site: same-origin"});
    REQUIRE(login.status == 200);
    const auto& cookie = login.headers.at("set-cookie");
    const auto by_login = "Cookie: " + cookie.substr(0, cookie.find(';'));
    const std::string by_token = "X-Token: ann-token";
    const auto watch = [&](const std::string& path, const std::string& who) {
        auto one = std::make_unique<service_test::client>(t.address());
        CHECK(one->ask("GET", path, {}, {who}).status == 200);
        next_document(*one);
        return one;
    };
    std::vector<std::unique_ptr<service_test::client>> hers;
    const auto begin = [&](const std::string& token) {
        hers.clear();
        hers.push_back(watch(t.path("/events"), token));
        hers.push_back(watch(of_task, token));
        hers.push_back(watch("/ui/api/live/overview", token));
    };
    const auto other = watch(t.path("/events"), "X-Token: chief-token");
    begin(by_token);
    hers.push_back(watch("/ui/api/live/overview", by_login));
    const auto tell_the_other = [&] {
        REQUIRE(at.ask("POST", t.path("/tasks"), body, {"X-Token: chief-token"}).status == 201);
        next_document(*other);
    };
    place.file(chief);
    for (const auto& one : hers) read_to_the_end(*one);
    tell_the_other();

    // Without a change of the file.
    const auto until = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + 10s;
    place.file(chief +
               web::token_line("ann", {"view"}, "ann-token", {.expires = errand::instant_text(until)}));
    begin(by_token);
    for (const auto& one : hers) read_to_the_end(*one);
    CHECK(std::chrono::system_clock::now() >= until);
    tell_the_other();
}
