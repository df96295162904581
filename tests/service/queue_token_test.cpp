// Tokens that are for some queues: what is in others is for their holder not there.
#include "service/flow_shop.hpp"
#include "service/lmstfy_shop.hpp"
#include "service/token_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using Catch::Matchers::ContainsSubstring;
using service_test::counter;
using service_test::holder;
using service_test::token_folder;
using service_test::with_tokens;
namespace json = boost::json;
namespace web = errand::web;

namespace {

const std::string bounded = "bounded-token";
const std::string whole = "whole-token";

std::string bounded_and_whole() {
    return web::token_line("ann", {"submit", "work"}, bounded, {.queues = {"mail", "s,m s#"}}) +
           web::token_line("bob", {"submit", "work", "admin", "operate"}, whole);
}

// One who has a token for some queues, and one who has one for all.
struct two_holders {
    token_folder place{};
    counter t{with_tokens(place.file(bounded_and_whole()))};
    holder ann{t, bounded};
    holder bob{t, whole};
};

std::string task_in(const std::string& queue, const std::string& more = {}) {
    return R"({"handler": "py", "queue": ")" + queue + R"(", "args": [1])" + more + '}';
}

std::string made_id(const service_test::response& got) {
    INFO(got.body);
    REQUIRE(got.status / 100 == 2);
    return std::string{got.json().at("id").as_string()};
}

std::string claim_in(const std::string& queue, const std::string& more = {}) {
    return R"({"worker": "w", "queues": {")" + queue + R"(": 1})" + more + '}';
}

// A task that its queue's own worker has taken_from.
json::object taken_from(holder& by, const std::string& queue) {
    const auto got = by.ask("POST", "/work:claim", claim_in(queue, R"(, "wait_ms": 60000)"));
    INFO(got.body);
    REQUIRE(got.status == 200);
    return got.json().at("tasks").at(0).as_object();
}

void check_forbidden(const service_test::response& got) {
    INFO(got.body);
    CHECK(got.status == 403);
    CHECK(got.error_code() == "forbidden");
    // Of whatever it does not know it hears nothing.
    CHECK_THAT(got.body, !ContainsSubstring("mail") && !ContainsSubstring("secret"));
}

}  // namespace

TEST_CASE("a token for some queues submits to those alone", "[service]") {
    two_holders both;
    auto& [place, t, ann, bob] = both;
    made_id(ann.ask("POST", "/tasks", task_in("mail")));
    made_id(ann.ask("POST", "/tasks", task_in("s,m s#")));
    // Another queue is refused alike, whether there is one or not.
    made_id(bob.ask("POST", "/tasks", task_in("secret")));
    const auto there = ann.ask("POST", "/tasks", task_in("secret"));
    const auto nowhere = ann.ask("POST", "/tasks", task_in("nothing"));
    check_forbidden(there);
    CHECK(there.body == nowhere.body);
    CHECK(there.json().at("error").at("path") == "queue");
    // A queue that is left to its handler is no way around.
    check_forbidden(ann.ask("POST", "/tasks", R"({"handler": "py"})"));
    check_forbidden(ann.ask("POST", "/tasks", R"({"handler": "parcel", "args": [1]})"));
    const auto batch =
        ann.ask("POST", "/tasks:batch", R"({"tasks": [)" + task_in("secret") + ", " + task_in("mail") + "]}");
    CHECK(batch.json().at("results").at(0).at("error").at("code") == "forbidden");
    CHECK(batch.json().at("results").at(1).at("created") == true);
    check_forbidden(ann.ask("POST", "/plans",
                            R"({"tasks": [)" + task_in("mail") + ", " + task_in("secret") + "]}"));
    CHECK(t.tasks_in(errand::state::ready, "mail") == 2);
    CHECK(t.tasks_in(errand::state::ready, "secret") == 1);
    // A plan and its group are there for who made them.
    const auto plan = ann.ask(
        "POST", "/plans",
        R"({"tasks": [{"name": "a", "handler": "py", "queue": "mail"}, {"name": "all", "group": ["a"]}]})");
    REQUIRE(plan.status == 201);
    const auto planned = plan.json().at("tasks").as_array();
    for (const auto& one : planned)
        CHECK(ann.status("/tasks/" + std::string{one.at("id").as_string()}) == 200);
}

TEST_CASE("a token for some queues reaches no task of another one by what that is known by", "[service]") {
    two_holders both;
    auto& [place, t, ann, bob] = both;
    const auto secret = made_id(bob.ask("POST", "/tasks", task_in("secret", R"(, "biz_id": "b-1")")));
    // It is not told the id, and changes nothing.
    const auto same = ann.ask("POST", "/tasks", task_in("mail", R"(, "biz_id": "b-1")"));
    CHECK(same.status == 409);
    CHECK_THAT(same.body, !ContainsSubstring(secret));
    check_forbidden(ann.ask("POST", "/tasks",
                            task_in("mail", R"(, "biz_id": "b-1", "on_duplicate": "replace")")));
    // Its own it is told.
    const auto own = made_id(ann.ask("POST", "/tasks", task_in("mail", R"(, "biz_id": "b-2")")));
    CHECK(made_id(ann.ask("POST", "/tasks", task_in("mail", R"(, "biz_id": "b-2")"))) == own);
    check_forbidden(ann.ask("POST", "/plans",
                            R"({"tasks": [)" + task_in("mail", R"(, "biz_id": "b-1")") + "]}"));
    const auto waits_for = [&](const std::string& id) {
        return ann.ask("POST", "/tasks", task_in("mail", R"(, "after": [")" + id + "\"]")).status;
    };
    CHECK(waits_for(own) == 201);
    CHECK(waits_for(secret) == 404);
    CHECK(ann.ask("POST", "/tasks",
                  task_in("mail", R"(, "after_biz_ids": [{"handler": "py", "biz_id": "b-1"}])"))
              .status == 404);
    // By the same key each has a task of its own.
    const auto keyed = [&](const std::string& token, const std::string& queue) {
        auto at = t.connect();
        return made_id(at.ask("POST", t.path("/tasks"), task_in(queue),
                              {"X-Token: " + token, "Idempotency-Key: k"}));
    };
    const auto hers = keyed(bounded, "mail");
    CHECK(keyed(whole, "secret") != hers);
    CHECK(keyed(bounded, "mail") == hers);
    CHECK(t.task(secret).state == errand::state::ready);
    // Nor does it get a new life when it has ended.
    const auto taken = taken_from(bob, "secret");
    const auto claim = std::string{taken.at("claim").as_string()};
    REQUIRE(std::string{taken.at("id").as_string()} == secret);
    REQUIRE(bob.ask("POST", "/tasks/" + secret + ":report",
                    R"({"claim": ")" + claim + R"(", "outcome": "success", "result": 7})")
                .status == 200);
    CHECK(ann.ask("POST", "/tasks", task_in("mail", R"(, "biz_id": "b-1")")).status == 409);
    CHECK(t.task(secret).state == errand::state::success);
    CHECK(t.task(secret).result == json::value{7});
}

TEST_CASE("a group shows a token for some queues nothing of what its members made", "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(bounded_and_whole() + web::token_line("eve", {"view"}, "eve-token",
                                                                           {.queues = {"default"}})))};
    holder bob{t, whole};
    holder eve{t, "eve-token"};
    const auto plan = bob.ask(
        "POST", "/plans",
        R"({"tasks": [{"name": "a", "handler": "py", "queue": "secret"}, {"name": "all", "group": ["a"]}]})");
    REQUIRE(plan.status == 201);
    const auto group = std::string{plan.json().at("tasks").at(1).at("id").as_string()};
    const auto taken = taken_from(bob, "secret");
    REQUIRE(bob.ask("POST", "/tasks/" + std::string{taken.at("id").as_string()} + ":report",
                    R"({"claim": ")" + std::string{taken.at("claim").as_string()} +
                        R"(", "outcome": "success", "result": "hidden"})")
                .status == 200);
    CHECK(bob.ask("GET", "/tasks/" + group + "?wait_ms=60000").json().at("result") == json::array{"hidden"});
    const auto seen = eve.ask("GET", "/tasks/" + group);
    CHECK(seen.status == 200);
    CHECK(seen.json().at("result").is_null());
    CHECK(eve.status("/tasks/" + group + "/events") == 404);
}

TEST_CASE("for a token that is for some queues what is in another one is not there", "[service]") {
    two_holders both;
    auto& [place, t, ann, bob] = both;
    const auto own =
        made_id(bob.ask("POST", "/tasks", task_in("mail", R"(, "delay_ms": 3600000, "biz_id": "m")")));
    const auto secret =
        made_id(bob.ask("POST", "/tasks", task_in("secret", R"(, "delay_ms": 3600000, "biz_id": "s")")));
    const std::string none = "0198c5d2-7c3e-7f00-8000-000000000001";
    struct about_one {
        std::string method;
        std::string rest;
        std::string body{};
    };
    for (const auto& one : std::vector<about_one>{{"GET", ""},
                                                  {"GET", "?wait_ms=1"},
                                                  {"GET", "/events"},
                                                  {"PATCH", "", R"({"priority": 3})"},
                                                  {"POST", ":reschedule", R"({"delay_ms": 3600000})"},
                                                  {"POST", ":revive"},
                                                  {"POST", ":cancel"}}) {
        INFO(one.method << ' ' << one.rest);
        const auto ask = [&](const std::string& id) {
            holder once{t, bounded};
            return once.ask(one.method, "/tasks/" + id + one.rest, one.body);
        };
        CHECK(ask(secret).status == 404);
        CHECK(ask(secret).body == ask(none).body);
        CHECK(ask(own).status != 404);
    }
    CHECK(t.task(secret).state == errand::state::delayed);
    CHECK(t.task(own).state == errand::state::cancelled);

    const auto waited = ann.ask("POST", "/tasks:wait", R"({"ids": [")" + secret + R"(", ")" + own + "\"]}");
    CHECK(waited.json().at("tasks").at(0).at("error").at("code") == "not_found");
    CHECK(waited.json().at("tasks").at(1).at("state") == "cancelled");
    const auto listed = [&](const std::string& query) {
        const auto got = ann.ask("GET", "/tasks?" + query);
        INFO(got.body);
        REQUIRE(got.status == 200);
        return got.json().at("tasks").as_array().size();
    };
    CHECK(listed("state=delayed") == 0);
    CHECK(listed("state=cancelled") == 1);
    CHECK(listed("state=cancelled&queue=mail") == 1);
    CHECK(listed("handler=py&biz_id=m") == 1);
    CHECK(listed("handler=py&biz_id=s") == 0);
    check_forbidden(ann.ask("GET", "/tasks?state=delayed&queue=secret"));
    const auto queues = ann.ask("GET", "/queues").json().at("queues").as_array();
    CHECK(std::ranges::all_of(queues, [](const json::value& one) { return one.at("name") == "mail"; }));
    CHECK_FALSE(queues.empty());
}

TEST_CASE("a call that is about more than a token's queues refuses it, and so does the console",
          "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(bounded_and_whole()))};
    holder ann{t, bounded};
    for (const auto& one : web::routes()) {
        if (one.by_queue || one.needs == web::scope::open) continue;
        INFO(one.method << ' ' << one.path);
        std::string path{one.path};
        if (const auto at = path.find("{namespace}"); at != path.npos)
            path.replace(at, 11, t.app.settings().name_space);
        const auto got = ann.line().ask(one.method, path, {}, {"X-Token: " + bounded});
        CHECK(got.status == 403);
        CHECK(got.error_code() == "forbidden");
    }
    const auto login = ann.line().ask("POST", "/ui/api/login", R"({"token": ")" + bounded + "\"}",
                                      {"Sec-Fetch-Site: same-origin"});
    CHECK(login.status == 403);
    CHECK(ann.line().ask("GET", "/ui/api/view/overview", {}, {"X-Token: " + bounded}).status == 403);
}

TEST_CASE("a token for some queues takes and reports what is in those alone", "[service]") {
    two_holders both;
    auto& [place, t, ann, bob] = both;
    made_id(bob.ask("POST", "/tasks", task_in("mail")));
    made_id(bob.ask("POST", "/tasks", task_in("secret")));
    check_forbidden(ann.ask("POST", "/work:claim", claim_in("secret")));
    check_forbidden(ann.ask("POST", "/work:claim", R"({"worker": "w", "queues": {"mail": 1, "secret": 1}})"));
    const auto hers = taken_from(ann, "mail");
    const auto his = taken_from(bob, "secret");
    const auto said = [](const json::object& task, const std::string& more = {}) {
        return R"({"claim": ")" + std::string{task.at("claim").as_string()} + '"' + more + '}';
    };
    const auto path_of = [](const json::object& task, const std::string& verb) {
        return "/tasks/" + std::string{task.at("id").as_string()} + verb;
    };
    const std::vector<std::pair<std::string, std::string>> calls{{":extend", ""},
                                                                 {":progress", R"(, "done": 0.5)"},
                                                                 {":log", R"(, "lines": ["a"])"},
                                                                 {":stage", R"(, "name": "s")"},
                                                                 {":stages", ""},
                                                                 {":report", R"(, "outcome": "success")"}};
    for (const auto& [verb, more] : calls) {
        INFO(verb);
        const auto over = ann.ask("POST", path_of(his, verb), said(his, more));
        CHECK(over.status == 409);
        CHECK(over.error_code() == "claim_lost");
        if (verb != ":report") CHECK(ann.ask("POST", path_of(hers, verb), said(hers, more)).status == 200);
    }
    const auto named = [](const json::object& task, const std::string& more = {}) {
        return R"({"id": ")" + std::string{task.at("id").as_string()} + R"(", "claim": ")" +
               std::string{task.at("claim").as_string()} + '"' + more + '}';
    };
    const auto kept =
        ann.ask("POST", "/work:extend", R"({"tasks": [)" + named(his) + ", " + named(hers) + "]}");
    CHECK(kept.json().at("results").at(0).at("error").at("code") == "claim_lost");
    CHECK(kept.json().at("results").at(1).at("id") == hers.at("id"));
    const auto success = R"(, "outcome": "success")";
    const auto reported =
        ann.ask("POST", "/work:report",
                R"({"reports": [)" + named(his, success) + ", " + named(hers, success) + "]}");
    CHECK(reported.json().at("results").at(0).at("error").at("code") == "claim_lost");
    CHECK(reported.json().at("results").at(1).at("state") == "success");
    // It is his as before.
    CHECK(bob.ask("POST", path_of(his, ":report"), said(his, success)).status == 200);
}

TEST_CASE("of flows a token for some queues has to do with the types of their names alone",
          "[service][flow]") {
    two_holders both;
    auto& [place, t, ann, bob] = both;
    REQUIRE(bob.flow("PUT", "/types/mail", "{}").status == 201);
    REQUIRE(bob.flow("PUT", "/types/secret", "{}").status == 201);
    const auto of = [](const std::string& type, const std::string& more = {}) {
        return R"({"type": ")" + type + '"' + more + '}';
    };
    CHECK(ann.flow("POST", "/tasks", of("mail", R"(, "id": "m")")).status == 201);
    const auto there = ann.flow("POST", "/tasks", of("secret", R"(, "id": "s")"));
    CHECK(there.status == 404);
    CHECK(there.body == ann.flow("POST", "/tasks", of("nothing", R"(, "id": "s")")).body);
    CHECK(bob.flow("POST", "/tasks", of("secret", R"(, "id": "s")")).status == 201);
    CHECK(ann.flow("GET", "/tasks/mail/m").status == 200);
    CHECK(ann.flow("GET", "/tasks/secret/s").status == 404);
    CHECK(ann.flow("DELETE", "/tasks/secret/s").status == 404);
    CHECK(ann.flow("PATCH", "/tasks/secret/s", R"({"priority": 3})").status == 404);
    CHECK(ann.flow("POST", "/types/secret:hold", "{}").status == 404);
    CHECK(ann.flow("POST", "/hold", R"({"types": [{"type": "mail"}, {"type": "secret"}]})").status == 404);
    CHECK(ann.flow("GET", "/tasks").status == 403);
    CHECK(ann.flow("GET", "/tasks?type=secret").status == 403);
    CHECK(ann.flow("GET", "/tasks?type=mail").json().at("tasks").as_array().size() == 1);
    const auto held =
        bob.flow("POST", "/types/secret:hold", R"({"wait_ms": 60000})").json().at("tasks").at(0);
    const std::string claim{held.at("claim").as_string()};
    const auto done = R"({"claim": ")" + claim + R"(", "outcome": "done"})";
    CHECK(ann.flow("POST", "/tasks/secret/s:report", done).status == 404);
    const auto many = ann.flow("POST", "/reports",
                               R"({"reports": [{"type": "secret", "id": "s", "claim": ")" + claim +
                                   R"(", "outcome": "done"}]})");
    CHECK(many.json().at("results").at(0).at("error").at("code") == "not_found");
    const auto kept = ann.flow("POST", "/leases:extend",
                               R"({"leases": [{"type": "secret", "id": "s", "claim": ")" + claim + R"("}]})");
    CHECK(kept.json().at("results").at(0).at("error").at("code") == "not_found");
    CHECK(bob.flow("POST", "/tasks/secret/s:report", done).status == 200);
}

TEST_CASE("a token for some queues is none of lmstfy's API", "[service][lmstfy]") {
    const token_folder place;
    auto how = service_test::with_lmstfy();
    how.tokens_file = place.file(bounded_and_whole());
    service_test::lmstfy_shop shop{how};
    CHECK(shop.with_token(shop.name(), bounded).ask("PUT", "mail", "x").status == 401);
    CHECK(shop.with_token(shop.name(), whole).ask("PUT", "mail", "x").status == 201);
}
