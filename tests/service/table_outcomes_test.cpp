// Each answer that a row of the route tables lists is one that its call gives: here each is provoked. A row that lists one which is
// not provoked fails the test.
#include "service/flow_rows.hpp"
#include "service/table_rows.hpp"
#include "service/token_folder.hpp"
#include "support/redis_server.hpp"

#include <boost/json/array.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using service_test::call_examples;
using service_test::client;
using service_test::counter;
using service_test::flow_shop;
using service_test::holder;
using service_test::path_with;
using service_test::response;
using service_test::row;
using service_test::token_folder;
namespace web = errand::web;
namespace flow = errand::flow;

namespace {

const std::string no_id = "0198c5d2-7c3e-7f00-8000-00000000dead";
constexpr int store_away = 503;

// What a program may be told by a refusal with this status.
const std::map<int, std::set<std::string>> codes{
    {400, {"bad_request"}},
    {404, {"not_found"}},
    {409, {"conflict", "claim_lost"}},
    {413, {"too_large"}},
    {415, {"unsupported_media_type"}},
    {422, {"key_reused"}},
    {429, {"busy", "quota_exceeded", "rate_limited"}},
    {503, {"unavailable"}},
};

std::string head_of(const client& at, std::string_view method, const std::string& path) {
    return std::string{method} + ' ' + path + " HTTP/1.1\r\nHost: " + at.host() + "\r\n";
}

// With which statuses the calls of a table were answered.
class outcomes {
public:
    explicit outcomes(std::span<const web::route> table) : table_{table} {}

    response saw(const web::route& of, response got) {
        const auto known = codes.find(got.status);
        if (known != codes.end()) {
            INFO(of.method << ' ' << of.path << ' ' << got.body);
            CHECK(known->second.contains(got.error_code()));
        }
        seen_[of.name].insert(got.status);
        return got;
    }
    response ask(const counter& t, const web::route& of, const std::string& path, std::string_view body = {},
                 std::vector<std::string> headers = {}) {
        auto at = t.connect();
        return saw(of, at.ask(of.method, path, body, std::move(headers)));
    }
    // Of a call by name, whose path goes on behind that of its namespace.
    response ask(const counter& t, std::string_view name, std::string_view rest, std::string_view body = {},
                 std::vector<std::string> headers = {}) {
        return ask(t, named(name), t.path(rest), body, std::move(headers));
    }
    // Refused by what is said of the body.
    void ask_unfit(const counter& t, const web::route& of, const std::string& path, const std::string& body) {
        ask(t, of, path + "?colour=red", body);
        if (lists(of, 415)) {
            auto at = t.connect();
            at.send(head_of(at, of.method, path) + "Content-Type: text/plain\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
            saw(of, at.receive());
        }
        if (lists(of, 413)) {
            auto at = t.connect();
            at.send(head_of(at, of.method, path) + "Content-Type: application/json\r\nContent-Length: " +
                    std::to_string(errand::service_options{}.max_body + 1) + "\r\n\r\n");
            saw(of, at.receive());
        }
    }

    const web::route& named(std::string_view name) const {
        const auto at = std::ranges::find(table_, name, &web::route::name);
        INFO("the call " << name);
        REQUIRE(at != table_.end());
        return *at;
    }
    static bool lists(const web::route& of, int status) {
        return std::ranges::any_of(of.answers, [&](const web::outcome& o) { return o.status == status; });
    }
    // All that are listed, of which `counts` is true.
    template <class Counts>
    void check_complete(Counts counts) const {
        for (const auto& one : table_) {
            const auto had = seen_.find(one.name);
            for (const auto& listed : one.answers) {
                if (!counts(listed.status)) continue;
                INFO(one.method << ' ' << one.path << " lists " << listed.status << ": " << listed.meaning);
                CHECK((had != seen_.end() && had->second.contains(listed.status)));
            }
        }
    }

private:
    std::span<const web::route> table_;
    std::map<std::string_view, std::set<int>> seen_;
};

bool but_away(int status) { return status != store_away; }

// ---- REST ----

// Those that wait, so that they wait; of others the example does.
const std::map<std::string, service_test::call_example, std::less<>> waiting{
    {"show_task", {.query = "?wait_ms=60000"}},
    {"claim_tasks", {.body = R"({"worker": "w", "queues": {"nothing": 1}, "wait_ms": 60000})"}},
    {"backfill_schedule", {.body = R"({"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T03:00:00Z"})"}},
};

constexpr std::string_view hourly = R"({"handler": "parcel", "cron": "0 * * * *"})";

std::string declared(const counter& t) {
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/schedules"), hourly);
    REQUIRE(got.status == 200);
    return std::string{got.json().at("id").as_string()};
}

// As many as may wait do so, and the quota is used up.
void ask_where_there_is_no_room(outcomes& all, const web::route& of) {
    errand::service_options how;
    how.max_waiting = 0;
    row r{of, how};
    auto body = r.example.body;
    auto query = r.example.query;
    if (const auto more = waiting.find(of.name); more != waiting.end()) {
        body = more->second.body;
        query = more->second.query;
    }
    if (of.name == "wait_for_tasks") body = R"({"ids": [")" + r.id + R"("], "wait_ms": 60000})";
    if (of.name == "backfill_schedule") r.schedule = declared(r.t);
    r.t.run(r.t.app.set_quota({.max_queued = 1, .max_schedules = r.schedule.empty() ? 0 : 1}));
    all.ask(r.t, of, r.path() + query, body);
}

std::string path_to(const row& r, const std::string& id) {
    auto path = path_with(std::string{r.route.path}, "{namespace}", r.t.app.settings().name_space);
    for (const auto* name : {"{id}", "{schedule}", "{run}", "{token}"}) path = path_with(path, name, id);
    return path;
}

// What the row alone says how to provoke.
void ask_by_row(outcomes& all, const web::route& of) {
    row r{of};
    const std::vector<std::string> key =
        r.example.may_carry_key ? std::vector<std::string>{"Idempotency-Key: k"} : std::vector<std::string>{};
    const auto path = r.path();
    all.ask(r.t, of, path + r.example.query, r.example.body, key);
    all.ask(r.t, of, path + r.example.query, r.example.body, key);
    if (of.path.find("{namespace}") != of.path.npos) all.ask_unfit(r.t, of, path, r.example.body);
    if (outcomes::lists(of, 404)) {
        all.ask(r.t, of, path_to(r, no_id), r.example.body);
        all.ask(r.t, of, path_to(r, "no-id"), r.example.body);
    }
    if (outcomes::lists(of, 429)) ask_where_there_is_no_room(all, of);
}

void submit_against_others(outcomes& all) {
    counter t;
    const auto held = t.submit(R"({"handler": "parcel", "biz_id": "b", "delay_ms": 3600000})");
    all.ask(t, "submit_task", "/tasks", R"({"handler": "parcel", "biz_id": "b", "on_duplicate": "reject"})");
    all.ask(t, "submit_plan", "/plans",
            R"({"tasks": [{"handler": "parcel", "biz_id": "b", "on_duplicate": "reject"}]})");
    for (const auto* args : {"[1]", "[2]"}) {
        const auto task = R"({"handler": "parcel", "args": )" + std::string{args} + '}';
        all.ask(t, "submit_task", "/tasks", task, {"Idempotency-Key: k-1"});
        all.ask(t, "submit_plan", "/plans", R"({"tasks": [)" + task + "]}", {"Idempotency-Key: k-2"});
    }
    CHECK(t.task(held).state == errand::state::delayed);
}

// Of a task that is under a claim: what is said of it, and what cannot be done to it.
void work_on_one(outcomes& all) {
    counter t;
    const auto id = t.submit(R"({"handler": "foreign", "queue": "foreign", "args": [1]})");
    const auto got =
        all.ask(t, "claim_tasks", "/work:claim", R"({"worker": "w", "queues": {"foreign": 1}})").json();
    REQUIRE(got.at("tasks").as_array().size() == 1);
    const std::string claim{got.at("tasks").at(0).at("claim").as_string()};
    const auto say = [&](std::string_view name, const std::string& verb, const std::string& more = {}) {
        const auto said =
            all.ask(t, name, "/tasks/" + id + verb, R"({"claim": ")" + claim + '"' + more + '}');
        INFO(name << said.body);
        CHECK(said.status == 200);
    };
    all.ask(t, "change_task", "/tasks/" + id, R"({"priority": 1})");
    all.ask(t, "reschedule_task", "/tasks/" + id + ":reschedule", R"({"delay_ms": 0})");
    all.ask(t, "remove_task", "/tasks/" + id);
    all.ask(t, "revive_task", "/tasks/" + id + ":revive");
    say("extend_task", ":extend");
    say("tell_progress", ":progress", R"(, "done": 0.5)");
    say("add_log", ":log", R"(, "lines": ["a"])");
    say("keep_stage", ":stage", R"(, "name": "s")");
    say("read_stages", ":stages");
    say("report_task", ":report", R"(, "outcome": "success")");
}

void operate(outcomes& all) {
    counter t;
    for (int i = 0; i < 40; ++i) t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    // One task a second: the first is under way as the fifth comes.
    for (int i = 0; i < 5; ++i)
        all.ask(t, "start_run", "/runs",
                R"({"action": "cancel", "state": "delayed", "rate": 1, "dry_run": false})");
    all.ask(t, "configure_handler", "/handlers/parcel/settings", R"({"max_retry": 3, "version": 7})");
    all.ask(t, "backfill_schedule", "/schedules/" + declared(t) + ":backfill",
            waiting.at("backfill_schedule").body);
}

// Where a token is asked for: the calls about those, and what one for some queues is told.
void use_tokens(outcomes& all) {
    const token_folder place;
    const counter t{service_test::with_tokens(place.file(web::token_line("zoe", {"admin"}, "of-zoe") +
                                                         web::token_line("joe", {"submit"}, "of-joe",
                                                                         {.queues = {"parcels"}})))};
    const std::vector<std::string> zoe{"X-Token: of-zoe"};
    const std::vector<std::string> joe{"X-Token: of-joe"};
    all.ask(t, "make_token", "/tokens", R"({"name": "shop", "scopes": ["view"]})", zoe);
    all.ask(t, "revoke_token", "/tokens/shop", {}, zoe);
    const auto after = R"({"handler": "parcel", "after": [")" + no_id + R"("]})";
    all.ask(t, "submit_task", "/tasks", after, joe);
    all.ask(t, "submit_plan", "/plans", R"({"tasks": [)" + after + "]}", joe);
}

}  // namespace

TEST_CASE("each answer that a row of the route table lists is one that its call gives", "[service]") {
    outcomes all{web::routes()};
    for (const auto& one : web::routes()) ask_by_row(all, one);
    submit_against_others(all);
    work_on_one(all);
    operate(all);
    use_tokens(all);
    all.check_complete(but_away);
}

// ---- flows ----

namespace {

using service_test::arrange;
using service_test::example_of;
using service_test::no_claim;

std::string flow_path(const flow_shop& shop, const web::route& of, const std::string& type,
                      const std::string& id) {
    auto path = path_with(std::string{of.path}, "{namespace}", shop.t.app.settings().name_space);
    return path_with(path_with(path, "{type}", type), "{id}", id);
}

void ask_flow_by_row(outcomes& all, const web::route& of) {
    flow_shop shop;
    arrange(shop);
    const auto& example = example_of(of);
    const auto path = flow_path(shop, of, example.type, example.id);
    all.ask_unfit(shop.t, of, path, example.body);
    const auto& body = example.named.empty() ? example.body : example.named;
    all.ask(shop.t, of, path, body);
    all.ask(shop.t, of, path, body);
    // Where it is in the path of it, else in the body. One that is written is new.
    all.ask(shop.t, of, flow_path(shop, of, "none", example.id), example.body);
}

void ask_flow_where_there_is_no_room(outcomes& all) {
    errand::service_options how;
    how.max_waiting = 0;
    flow_shop shop{{}, how};
    const auto id = shop.create();
    const auto held = shop.hold(R"("limit": 1)");
    REQUIRE(held.size() == 1);
    shop.t.run(shop.t.app.set_quota({.max_queued = 1}));
    const auto ask = [&](std::string_view name, std::string_view rest, const std::string& body = {}) {
        all.ask(shop.t, all.named(name), shop.path(rest), body);
    };
    shop.create();
    ask("flow_create", "/tasks", R"({"type": "film"})");
    shop.put_type("empty");
    ask("flow_look", "/tasks/film/" + id + "?wait_ms=60000");
    ask("flow_hold", "/types/empty:hold", R"({"wait_ms": 60000})");
    ask("flow_hold_types", "/hold", R"({"types": [{"type": "empty"}], "wait_ms": 60000})");
    ask("flow_extend", "/leases:extend",
        R"({"leases": [)" + flow_shop::lease_of(held.front().as_object()) + R"(], "wait_ms": 60000})");
}

}  // namespace

TEST_CASE("each answer that a row of the flows' table lists is one that its call gives", "[service][flow]") {
    outcomes all{flow::routes()};
    for (const auto& one : flow::routes()) ask_flow_by_row(all, one);
    ask_flow_where_there_is_no_room(all);
    flow_shop shop;
    arrange(shop);
    const auto ask = [&](std::string_view name, std::string_view rest, const std::string& body = {},
                         std::vector<std::string> headers = {}) {
        return all.ask(shop.t, all.named(name), shop.path(rest), body, std::move(headers));
    };
    ask("flow_create", "/tasks", R"({"type": "none"})");
    ask("flow_create", "/tasks?strict=1", R"({"type": "film", "id": "t", "content": 5})");
    ask("flow_change", "/tasks/film/t", R"({"priority": 3})", {"If-Match: 99"});
    ask("flow_revive", "/tasks/film/t:revive", R"({"stage": "again"})");
    ask("flow_delete_type", "/types/film");
    ask("flow_hold_types", "/hold", R"({"types": [{"type": "none"}]})");
    ask("flow_reports", "/reports",
        R"({"reports": [{"type": "film", "id": "t", "claim": ")" + no_claim +
            R"(", "outcome": "done"}], "hold": {"types": [{"type": "none"}]}})");
    shop.create();
    const auto held = shop.hold_one();
    CHECK(ask("flow_report", "/tasks/film/" + flow_shop::text(held, "id") + ":report",
              R"({"claim": ")" + flow_shop::text(held, "claim") + R"(", "outcome": "done"})")
              .status == 200);
    all.check_complete(but_away);
}

// ---- without the store ----

namespace {

// Of all of them at once, as each is given up only when its time is over.
void ask_all(outcomes& all, std::span<const web::route> table, const counter& t) {
    std::vector<std::pair<const web::route*, std::unique_ptr<client>>> asked;
    for (const auto& one : table) {
        if (!outcomes::lists(one, store_away)) continue;
        std::string body;
        std::string query;
        if (const auto known = call_examples.find(one.name); known != call_examples.end()) {
            body = known->second.body;
            query = known->second.query;
        } else {
            body = example_of(one).body;
        }
        auto path = path_with(std::string{one.path}, "{namespace}", t.app.settings().name_space);
        for (const auto& [name, value] : std::map<const char*, std::string>{{"{id}", no_id},
                                                                            {"{queue}", "parcels"},
                                                                            {"{limit}", "queue%3Aparcels"},
                                                                            {"{token}", "shop"},
                                                                            {"{handler}", "parcel"},
                                                                            {"{schedule}", no_id},
                                                                            {"{run}", no_id},
                                                                            {"{type}", "film"}})
            path = path_with(path, name, value);
        auto at = std::make_unique<client>(t.address());
        at->send(head_of(*at, one.method, path + query) +
                 "X-Token: of-zoe\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
        asked.emplace_back(&one, std::move(at));
    }
    for (const auto& [of, at] : asked) all.saw(*of, at->receive());
}

}  // namespace

TEST_CASE("each row of both route tables that lists what is answered without a store answers so",
          "[service][flow][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 0;
    settings.store_timeout = 1s;
    const token_folder place;
    const std::vector<std::string> everything{"view", "submit", "work", "operate", "admin"};
    const auto how = service_test::with_tokens(place.file(web::token_line("zoe", everything, "of-zoe")));
    const counter lost{how, settings};
    holder zoe{lost, "of-zoe"};
    errand::test::eventually([&] { return zoe.flow("PUT", "/types/film", "{}").status / 100 == 2; });
    server.kill();
    // What does not change by itself is known to who has read it, and to nobody else.
    const counter without{how, settings};
    for (const auto table : {web::routes(), flow::routes()}) {
        outcomes all{table};
        ask_all(all, table, lost);
        ask_all(all, table, without);
        all.check_complete([](int status) { return status == store_away; });
    }
}
