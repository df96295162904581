// Limits on several shards: what is limited stands in the first one.
#include "client/policy_schedules.hpp"
#include "client/schedule_change.hpp"
#include "core/gates.hpp"
#include "core/schedule_checks.hpp"
#include "limits/handlers.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "worker/attempt_schedule.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <tuple>

using namespace limits_test;
using errand::schedule_record;
using errand::schedule_state;
using errand::test::await;
using errand::test::eventually;

namespace {

constexpr std::size_t shard_count = 3;

errand::config in_shards() { return errand::test::settings_in_shards(shard_count); }

std::size_t shard_of(const std::string& id) {
    return errand::shard_of_id(errand::parse_task_id(id).value(), shard_count);
}

errand::task_id id_in(std::size_t shard) {
    for (;;) {
        const auto id = errand::new_task_id(1'763'000'000'000);
        if (errand::shard_of_id(id, shard_count) == shard) return id;
    }
}

errand::task_body visit_of(const std::string& customer) {
    errand::task_body body;
    body.queue = "default";
    body.handler = "visit";
    body.args = "[\"" + customer + "\",1]";
    body.life = 1;
    return body;
}

// The same namespace, as helpers of the app see it.
struct observer : errand::test::second_store {
    explicit observer(bench& t)
        : second_store{t.app, "observer"}, zones{errand::detail::core_of(t.app).zone_finder()} {}
    void declare(schedule_record one) {
        std::vector<schedule_record> all;
        all.push_back(std::move(one));
        await(io, errand::declare_all(*of, std::move(all), zones));
    }
    std::optional<schedule_record> look(const schedule_record& at) {
        return await(io, errand::look_at_schedule(*of, id_of(at))).record;
    }
    void change(const schedule_record& at, errand::schedule_rule rule) {
        CHECK(await(io, errand::change_schedule(*of, id_of(at), std::move(rule))).changed);
    }

    errand::zone_source zones;
};

// One schedule in both of its places.
struct two_places {
    two_places(std::string_view identity, std::string_view key) {
        plain.identity = identity;
        plain.key = key;
        plain.timing = {.interval = 1h, .mode = errand::fixed_rate};
        plain.run = visit_of("anna");
        plain.run.handler = identity;
        plain.declared_args = plain.run.args;
        first = plain;
        first.in_first_shard = true;
    }
    schedule_record plain, first;
};

}  // namespace

TEST_CASE("on several shards what has limits stands in the first one, whoever submits it", "[in_shards]") {
    bench t{in_shards()};
    const auto visits = t.app.handler<visit>();
    std::vector<std::string> ids;
    for (int i = 0; i < 4; ++i) ids.push_back(t.run(visits.perform_async("anna", i)).id());
    const std::vector<std::tuple<std::string, int>> two{{"bert", 1}, {"carl", 1}};
    for (const auto& h : t.run(visits.perform_bulk(two))) ids.push_back(h.id());
    ids.push_back(t.run(t.app.perform("visit", {"dora", 1})).id());
    for (const std::string name : {"one", "two", "three", "four"}) {
        const auto named = t.run(visits.with({.biz_id = name}).perform_async("anna", 5));
        CHECK(visits.ref(name).id() == named.id());
        CHECK(t.run(visits.with({.biz_id = name}).perform_async("anna", 6)).duplicate());
        ids.push_back(named.id());
    }
    t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> {
        ids.push_back((co_await visits.perform_async("anna", 7)).id());
    }));
    const auto schedule = t.run(visits.every(1h, {}, "anna", 8));
    ids.push_back(schedule.id());
    ids.push_back(t.run(schedule.run_now()).id());
    t.start();
    // Its stage runs twice, and its child is the same one.
    t.wait(t.run(t.app.handler<foreman>().perform_async(5)));
    const auto children = t.in.said();
    REQUIRE(children.size() == 10);
    for (std::size_t i = 0; i < 5; ++i) CHECK(children[i] == children[i + 5]);
    ids.insert(ids.end(), children.begin(), children.end());
    for (const auto& id : ids) CHECK(shard_of(id) == errand::shard_of_limits);
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size() - 5);
}

TEST_CASE("on several shards two workers keep one limit together", "[in_shards][concurrent]") {
    auto settings = in_shards();
    settings.threads = 2;
    bench t{settings};
    bench other{t.app.settings()};
    t.start();
    other.start();
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 10; ++i) {
        handles.push_back(t.run(t.app.handler<read_crm>().perform_async()));
        handles.push_back(t.run(t.app.handler<write_crm>().perform_async()));
    }
    eventually([&] { return t.in.now("crm") + other.in.now("crm") == 2; });
    const auto seen = t.limit("crm-api");
    CHECK(seen.running == 2);
    CHECK(seen.waiting == 18);
    CHECK(t.info(handles.back()).blocked_by == std::vector<std::string>{"crm-api: 2 of 2 running"});
    t.in.release = other.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("crm") + other.in.most_at_once("crm") <= 4);
    eventually([&] { return t.limit("crm-api").running == 0; });
}

TEST_CASE("a schedule whose handler gets limits goes on in the first shard, and back when it has none",
          "[in_shards]") {
    bench t{in_shards()};
    observer helper{t};
    const two_places one{"visit", "of anna"};
    helper.declare(one.plain);
    helper.change(one.plain, [](const errand::seen_schedule& seen) { return errand::pause(*seen.record); });
    const auto before = helper.look(one.plain).value();
    CHECK_FALSE(helper.look(one.first));

    helper.declare(one.first);
    CHECK(helper.look(one.plain).value().state == schedule_state::cancelled);
    const auto moved = helper.look(one.first).value();
    CHECK(moved.state == schedule_state::paused);
    CHECK(moved.created == before.created);
    CHECK(moved.next == before.next);

    helper.declare(one.plain);
    CHECK(helper.look(one.first).value().state == schedule_state::cancelled);
    CHECK(helper.look(one.plain).value().state == schedule_state::paused);
    CHECK(helper.look(one.plain).value().created == before.created);

    // What was finished is not begun anew by being moved.
    helper.change(one.plain, [](const errand::seen_schedule& seen) {
        errand::schedule_move move{.changed = true, .record = *seen.record};
        move.record.state = schedule_state::finished;
        move.record.ended = seen.now;
        move.record.next.reset();
        return move;
    });
    helper.declare(one.first);
    CHECK(helper.look(one.first).value().state == schedule_state::finished);
}

TEST_CASE("the schedule of a policy moves with its handler's limits", "[in_shards]") {
    bench t{in_shards()};
    observer helper{t};
    const two_places one{"nightly", errand::policy_schedule_key};
    helper.declare(one.plain);
    t.start();
    CHECK(helper.look(one.plain).value().state == schedule_state::cancelled);
    CHECK(helper.look(one.first).value().state == schedule_state::active);
    CHECK(helper.look(one.first).value().timing.cron == "0 3 * * *");
    const auto all = t.run(t.app.schedules({.handler = "nightly", .state = schedule_state::active}));
    REQUIRE(all.schedules.size() == 1);
    CHECK(shard_of(all.schedules[0].id) == errand::shard_of_limits);
}

TEST_CASE("what was submitted elsewhere before its handler had limits is given none by other arguments",
          "[in_shards]") {
    bench t{in_shards()};
    observer helper{t};
    for (std::size_t shard = 0; shard < shard_count; ++shard) {
        errand::submission_item item;
        item.id = id_in(shard);
        item.body = errand::encode(visit_of("anna"));
        item.queue = "default";
        await(helper.io, helper.of->submit(0, std::vector{item}, errand::submit_mode::each));
        CHECK(t.run(t.app.inspect().change(to_text(item.id), {.args = boost::json::array{"bert", 1}})));
        const auto found = await(helper.io, helper.of->find(item.id)).value();
        CHECK(errand::gates_of(found.body).empty() == (shard != errand::shard_of_limits));

        const errand::run_origin origin{.schedule = item.id, .key = "k"};
        errand::attempt_schedule run{origin, errand::handlers::of_type(typeid(visit)), shard_count};
        static_cast<errand::schedule_run&>(run).set_args(std::string{"bert"}, 1);
        CHECK(run.wish().gates.empty() == (shard != errand::shard_of_limits));
    }
}

TEST_CASE("a worker that starts while the first server is away declares its limits when it is there",
          "[goes_away][in_shards]") {
    errand::test::redis_server first{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store = first.url() + "," + settings.store;
    settings.shards = 2;
    bench t{settings};
    {
        // By an earlier version.
        observer helper{t};
        const std::vector<errand::named_limit> limits{{"crm-api", {.max_running = 7}}};
        await(helper.io, helper.of->declare_limits(limits));
    }
    first.kill();
    t.start();
    first.restart();
    eventually([&] { return t.limit("crm-api").declared == crm.rule(); });
    CHECK(t.limit("handler:single").declared == errand::limit_rule{.max_running = 1});
    t.wait(t.run(t.app.handler<moody>().perform_async("is well")));
}

TEST_CASE("a policy's schedule whose server is away when a worker starts is declared when that is there",
          "[goes_away][in_shards]") {
    errand::test::redis_server second{{.append_only = true}};
    schedule_record its;
    its.identity = "monthly";
    its.key = errand::policy_schedule_key;
    auto settings = errand::test::fresh_settings();
    settings.store += "," + second.url();
    settings.shards = 2;
    // It is where the second server is, and another policy's schedule not, in neither of its places.
    const two_places daily{"nightly", errand::policy_schedule_key};
    const auto is_on_second = [&](const schedule_record& one) {
        return errand::shard_of_id(id_of(one), settings.shards) % 2 == 1;
    };
    while (!is_on_second(its) || is_on_second(daily.plain) || is_on_second(daily.first)) ++settings.shards;
    bench t{settings};
    {
        observer helper{t};
        CHECK_FALSE(helper.look(its));
    }
    second.kill();
    const auto declare = errand::policy_declarations();
    CHECK_FALSE(t.run(declare(errand::detail::core_of(t.app))));
    // What is done meanwhile to one that was declared stands.
    {
        observer helper{t};
        REQUIRE(helper.look(daily.first));
        helper.change(daily.first, [](const errand::seen_schedule& seen) {
            return errand::cancel(*seen.record, seen.now);
        });
    }
    CHECK_FALSE(t.run(declare(errand::detail::core_of(t.app))));
    CHECK(observer{t}.look(daily.first)->state == schedule_state::cancelled);
    t.start();
    second.restart();
    observer helper{t};
    eventually([&] { return helper.look(its).has_value(); });
    CHECK(helper.look(its)->state == schedule_state::active);
    CHECK(helper.look(its)->timing.cron == "0 4 1 * *");
}

TEST_CASE("on several shards tasks wait for those with which they share a limit", "[in_shards][concurrent]") {
    auto settings = in_shards();
    settings.threads = 2;
    bench t{settings};
    t.in.release = true;
    t.start();
    std::vector<errand::handle<int>> nests;
    for (int i = 0; i < 4; ++i) nests.push_back(t.run(t.app.handler<nest>().perform_async(2)));
    const auto gathers = t.run(t.app.handler<gather>().perform_bulk(std::vector<std::tuple<>>(3)));
    for (const auto& h : nests) CHECK(t.wait(h) == 2);
    t.all_end(gathers);
    CHECK(t.in.most_at_once("nest") == 1);
    CHECK(t.in.most_at_once("crm") <= 2);
    for (const auto* name : {"crm-api", "handler:nest"})
        eventually([&] { return t.limit(name).running == 0; });
}
