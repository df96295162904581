// Damage done by hand in Redis: a check-up finds it, and repairs it; of a namespace in order it finds nothing.
#include <errand/errand.hpp>

#include "support/limit_fixture.hpp"
#include "support/redis_fixture.hpp"
#include "support/test_app.hpp"
#include "support/ward.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

using ward = ward_on<redis_fixture>;

}  // namespace

TEST_CASE("nothing is found in a namespace that is in order", "[checkup]") {
    ward w;
    w.fill();
    CHECK(w.check().empty());
    CHECK(w.check(true).empty());
}

TEST_CASE("a ready task that is in no list any more is put back, and runs once", "[checkup]") {
    ward w;
    const auto id = w.submit_ready();
    w.submit_ready();
    w.redis({"LREM", w.key("ready:default"), "1", w.id_text(id)});
    w.heals("lost", w.id_text(id));
    CHECK(w.claim(w.worker, 10).claimed.size() == 2);
}

TEST_CASE("an urgent task that is in no set any more is put back", "[checkup]") {
    ward w;
    const auto id = w.submit_ready(5);
    w.redis({"DEL", w.key("urgent:default")});
    w.heals("lost", w.id_text(id));
    CHECK(w.claim(w.worker, 10).claimed.size() == 1);
}

TEST_CASE("a delayed task without its due time is found, and goes on", "[checkup]") {
    ward w;
    const auto id = w.submit_delayed();
    w.redis({"DEL", w.key("due:default")});
    w.heals("lost", w.id_text(id));
}

TEST_CASE("entries without a body are taken out", "[checkup]") {
    ward w;
    const auto id = w.submit_delayed();
    w.redis({"HDEL", w.key("tasks"), w.id_text(id)});
    w.heals("no_body", w.id_text(id));
    const auto ready = w.submit_ready();
    w.redis({"HDEL", w.key("tasks"), w.id_text(ready)});
    w.heals("no_body", w.id_text(ready));
    CHECK(w.claim(w.worker, 10).claimed.empty());
    const auto dead = w.end(state::dead);
    w.redis({"HDEL", w.key("tasks"), w.id_text(dead)});
    w.heals("no_body", w.id_text(dead));
    const auto task = w.start();
    w.redis({"HDEL", w.key("tasks"), w.id_text(task.id)});
    w.heals("no_body", w.id_text(task.id));
}

TEST_CASE("a task in two states keeps the one in which it is further", "[checkup]") {
    ward w;
    const auto task = w.start();
    const auto entry = [&](const task_id& id) { return w.id_text(id) + '9'; };  // with its priority
    w.redis({"ZADD", w.key("due:default"), "1", entry(task.id)});
    w.heals("two_states", w.id_text(task.id));
    CHECK(w.state_of(w.worker, task.id) == state::working);
    const auto over = w.end(state::dead);
    w.redis({"ZADD", w.key("due:default"), "1", entry(over)});
    w.heals("two_states", w.id_text(over));
    CHECK(w.state_of(w.worker, over) == state::dead);
}

TEST_CASE("a working task without a lease is given one that runs out, so that it is recovered", "[checkup]") {
    ward w;
    const auto task = w.start();
    w.redis({"ZREM", w.key("leases"), redis::claim_text(task.claim)});
    w.heals("no_lease", w.id_text(task.id));
    auto rescuer = w.join("r");
    CHECK(await(w.io, rescuer->recover(10, 1h)).tasks.size() == 1);
    const auto other = w.start();
    w.redis({"ZREM", w.key("leases"), redis::claim_text(other.claim)});
    w.redis({"HDEL", w.key("claims"), redis::claim_text(other.claim)});
    w.heals("no_lease", w.id_text(other.id));
    CHECK(await(w.io, rescuer->recover(10, 1h)).tasks.size() == 1);
}

TEST_CASE("a lease that holds no task is taken away", "[checkup]") {
    ward w;
    w.redis({"ZADD", w.key("leases"), "1000", "77"});
    w.heals("idle_lease", "77");
}

TEST_CASE("an ended task that nothing would delete is deleted in its time", "[checkup]") {
    ward w;
    const auto dead = w.end(state::dead);
    w.redis({"ZREM", w.key("buried"), w.id_text(dead)});
    w.heals("never_deleted", w.id_text(dead));
    const auto good = w.end(state::success);
    w.redis({"DEL", w.key("history:default:3600000")});
    w.heals("never_deleted", w.id_text(good));
}

TEST_CASE("an ended task that is in no list is listed again", "[checkup]") {
    ward w;
    const auto dead = w.end(state::dead);
    w.redis({"ZREM", w.key("listed:default"), w.id_text(dead)});
    w.heals("unlisted", w.id_text(dead));
    const auto waits = w.wait_for(new_task_id(1));
    w.redis({"ZREM", w.key("listed:default"), w.id_text(waits)});
    w.heals("unlisted", w.id_text(waits));
}

TEST_CASE("a task that is listed in another state is not any more", "[checkup]") {
    ward w;
    const auto id = w.submit_ready();
    w.redis({"ZADD", w.key("listed:default"), "70368744177665", w.id_text(id)});
    w.heals("wrong_list", w.id_text(id));
    // The entry of another priority.
    w.redis({"ZADD", w.key("due:default"), "1", w.id_text(id) + '7'});
    w.heals("wrong_list", w.id_text(id));
}

TEST_CASE("a task that waits for what nobody will tell it goes on", "[checkup]") {
    ward w;
    const auto parent = w.submit_delayed();
    const auto child = w.wait_for(parent);
    // The parent forgets who waits for it, and ends.
    w.redis({"ZREM", w.key("links"), "c" + w.id_text(parent) + w.id_text(child)});
    w.heals("stuck", w.id_text(child));
    await(w.io, w.worker->cancel(parent, 0, outcome_of(state::cancelled)));
    // News that were lost.
    w.redis({"ZREM", w.key("outbox"), w.id_text(parent) + "c"});
    w.heals("stuck", w.id_text(child));
    const auto news = await(w.io, w.worker->take_news(10, 10s));
    REQUIRE(news.entries.size() == 1);
    CHECK(news.entries[0].heirs == std::vector{child});
    // What it waited for is gone from its list.
    const auto alone = w.wait_for(new_task_id(1));
    w.redis({"ZREM", w.key("links"), "n" + w.id_text(alone) + w.id_text(alone)});
    w.redis({"ZREMRANGEBYLEX", w.key("links"), "[n" + w.id_text(alone),
             "(n" + w.id_text(alone) + "\xff\xff"});
    w.heals("stuck", w.id_text(alone));
}

TEST_CASE("edges of tasks that are not there are forgotten", "[checkup]") {
    ward w;
    const auto parent = w.submit_delayed();
    const auto child = w.wait_for(parent);
    const auto nobody = new_task_id(1);
    w.wait_for(new_task_id(2));
    CHECK(w.check().empty());
    w.redis({"ZADD", w.key("links"), "0", "n" + w.id_text(nobody) + w.id_text(parent), "0",
             "c" + w.id_text(parent) + w.id_text(nobody)});
    w.heals("stray_edge", w.id_text(nobody));
    w.redis({"ZADD", w.key("links"), "0", "s" + w.id_text(nobody) + w.id_text(child)});
    w.heals("stray_edge", w.id_text(nobody));
    w.redis({"ZADD", w.key("links"), "0", "c" + w.id_text(nobody) + w.id_text(parent)});
    w.heals("stray_edge", w.id_text(nobody));
    CHECK(w.size_of("links") == "5");
}

TEST_CASE("a task that stands aside where nobody would find it is found again", "[checkup]") {
    ward w;
    const auto id = w.put_aside(5);
    CHECK(w.check().empty());
    w.redis({"ZREM", w.key("links"), "hdefault\ntest\n4" + w.id_text(id)});
    CHECK(w.adopt().empty());
    w.heals("hidden", w.id_text(id));
    const auto got = w.adopt();
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == id);
    CHECK(w.size_of("links") == "1");
}

TEST_CASE("what is said to stand aside and does not is no longer said to", "[checkup]") {
    ward w;
    const auto place = [&](const std::string& handler, const task_id& id) {
        return "hdefault\n" + handler + "\n9" + w.id_text(id);
    };
    const auto ready = w.submit_ready(), delayed = w.submit_delayed(), dead = w.end(state::dead);
    const auto aside = w.put_aside(9);
    for (const auto& id : {ready, delayed, dead}) {
        w.redis({"ZADD", w.key("links"), "0", place("test", id)});
        w.heals("wrong_list", w.id_text(id));
    }
    w.redis({"ZADD", w.key("links"), "0", place("another", aside)});
    w.heals("wrong_list", w.id_text(aside));
    const auto nobody = new_task_id(1);
    w.redis({"ZADD", w.key("links"), "0", place("test", nobody)});
    w.heals("no_body", w.id_text(nobody));
    CHECK(w.state_of(w.worker, ready) == state::ready);
    CHECK(w.state_of(w.worker, dead) == state::dead);
    CHECK(w.adopt().at(0).id == aside);
}

TEST_CASE("counters that are off are set right", "[checkup]") {
    ward w;
    w.end(state::success);
    w.redis({"HINCRBY", w.key("counts"), "s:default:3600000", "5"});
    w.heals("counter", "default:3600000");
    const auto id = w.submit_ready();
    await(w.io, w.worker->cancel(id, 0, outcome_of(state::cancelled)));
    w.redis({"HINCRBY", w.key("counts"), "v:default", "-3"});
    w.heals("counter", "default");
}

TEST_CASE("a queue that is not known is named again", "[checkup]") {
    ward w;
    const auto id = w.submit_ready();
    w.redis({"HDEL", w.key("counts"), "q:default"});
    w.heals("unnamed_queue", w.id_text(id));
}

TEST_CASE("a check-up while tasks are submitted and run finds nothing", "[checkup]") {
    test_app t;
    t.start();
    bool found = false;
    for (int round = 0; round < 5; ++round) {
        std::vector<handle<boost::json::value>> all;
        for (int i = 0; i < 50; ++i) {
            all.push_back(t.run(t.app.perform("nobody", {i},
                                              {.delay = i % 3 ? 0ms : 2ms, .priority = i % 2})));
        }
        for (std::size_t i = 0; i < all.size(); i += 3) t.run(all[i].cancel());
        found = found || t.run(t.app.inspect().check()).found > 0;
    }
    CHECK_FALSE(found);
}

TEST_CASE("who stands in line at a limit and holds none is found", "[checkup]") {
    ward w;
    await(w.io, w.worker->set_limit("crm", limit_rule{.max_running = 1}));
    const auto gate = limit_fixture::running("crm");
    for (int i = 0; i < 2; ++i) w.submit(w.worker, limit_fixture::gated(gate));
    const auto parent = w.claim(w.worker, 1).claimed.at(0);
    const auto say = [&](bool back) {
        const std::vector<yield_wish> one{{parent.id, parent.claim, back}};
        return await(w.io, w.worker->yield_gates(one)).at(0);
    };
    CHECK(say(false) == yield_verdict::done);
    const auto child = w.claim(w.worker, 1).claimed.at(0);
    CHECK(say(true) == yield_verdict::in_line);
    const auto nobody = gate + "00000000000001" + w.id_text(parent.id) + "1:00000000";
    w.redis({"ZADD", w.key("returning"), "0", nobody});
    w.heals("slot_leaked", w.id_text(parent.id));
    CHECK(say(true) == yield_verdict::in_line);
    w.finish(w.worker, {limit_fixture::done(child)});
    CHECK(say(true) == yield_verdict::done);
}
