// Damage done by hand in a SQLite file: a check-up finds it, and repairs it; of a namespace in order it finds nothing.
#include <errand/errand.hpp>

#include "core/hex.hpp"
#include "support/sqlite_backing.hpp"
#include "support/ward.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct checkup_file : store_fixture {
    checkup_file() : store_fixture{std::make_unique<sqlite_backing>(false)} {}
};

struct file_ward : ward_on<checkup_file> {
    void damage(const std::string& sql) { ask(sql); }
    std::string ask(const std::string& sql) { return static_cast<sqlite_backing&>(*behind).ask(sql); }
    // As SQL writes bytes.
    static std::string sql(const task_id& id) { return "x'" + to_hex(id.view()) + '\''; }
    void damage_task(const std::string& set, const task_id& id) {
        damage("UPDATE errand_task SET " + set + " WHERE id = " + sql(id));
    }
};

}  // namespace

TEST_CASE("nothing is found in a SQLite file that is in order") {
    file_ward w;
    w.fill();
    CHECK(w.check().empty());
    CHECK(w.check(true).empty());
}

TEST_CASE("a ready task that is in no order any more is put back in a SQLite file, and runs once") {
    file_ward w;
    const auto id = w.submit_ready();
    w.submit_ready();
    w.damage_task("place = NULL", id);
    w.heals("lost", w.id_text(id));
    CHECK(w.claim(w.worker, 10).claimed.size() == 2);
}

TEST_CASE("a delayed task without its due time is found in a SQLite file, and goes on") {
    file_ward w;
    const auto id = w.submit_delayed();
    w.damage_task("place = NULL", id);
    w.heals("lost", w.id_text(id));
    CHECK(w.claim(w.worker, 10).claimed.size() == 1);
}

TEST_CASE("a working task that no claim holds goes back to the ready ones in a SQLite file") {
    file_ward w;
    const auto task = w.start();
    w.damage_task("claim = NULL", task.id);
    w.heals("lost", w.id_text(task.id));
    CHECK(w.claim(w.worker, 10).claimed.size() == 1);
}

TEST_CASE("tasks without a body are taken out of a SQLite file") {
    file_ward w;
    const auto id = w.submit_delayed();
    w.damage_task("small = NULL", id);
    w.heals("no_body", w.id_text(id));
    const auto large = item_of("[\"" + std::string(1000, 'x') + "\"]");
    w.submit(w.worker, large);
    w.damage("DELETE FROM errand_body");
    CHECK(w.claim(w.worker, 10).claimed.empty());
    w.heals("no_body", w.id_text(large.id));
    const auto waits = w.wait_for(new_task_id(1));
    w.damage("DELETE FROM errand_task WHERE id = " + w.sql(waits));
    w.heals("no_body", w.id_text(waits));
}

TEST_CASE("a task in two states keeps the one in which it is further, in a SQLite file") {
    file_ward w;
    const auto task = w.start();
    w.submit_delayed();
    w.damage_task("list = (SELECT k FROM errand_list WHERE kind = 1), place = 1", task.id);
    w.heals("two_states", w.id_text(task.id));
    CHECK(w.state_of(w.worker, task.id) == state::working);
    const auto over = w.end(state::dead);
    w.damage_task("claim = 7", over);
    w.heals("two_states", w.id_text(over));
    CHECK(w.state_of(w.worker, over) == state::dead);
}

TEST_CASE("a working task without a lease is given one that runs out, in a SQLite file") {
    file_ward w;
    const auto task = w.start();
    w.damage("DELETE FROM errand_claim");
    w.heals("no_lease", w.id_text(task.id));
    auto rescuer = w.join("r");
    CHECK(await(w.io, rescuer->recover(10, 1h)).tasks.size() == 1);
}

TEST_CASE("a lease that holds no task is taken away from a SQLite file") {
    file_ward w;
    w.submit_ready();
    w.damage("INSERT INTO errand_claim(ns, number, ends, engine, worker, tasks) "
             "SELECT k, 77, 1000, 0, 'w', x'' FROM errand_name_space");
    w.heals("idle_lease", "77");
}

TEST_CASE("an ended task that nothing would delete is deleted in its time, in a SQLite file") {
    file_ward w;
    const auto dead = w.end(state::dead);
    w.damage_task("place = NULL", dead);
    w.heals("never_deleted", w.id_text(dead));
    CHECK(w.state_of(w.worker, dead) == state::dead);
}

TEST_CASE("a task whose list or queue is not known is listed again, in a SQLite file") {
    file_ward w;
    const auto dead = w.end(state::dead);
    w.damage("DELETE FROM errand_list WHERE kind = 6");
    w.damage("UPDATE errand_name_space SET layout = layout + 1");
    w.heals("unlisted", w.id_text(dead));
    CHECK(w.state_of(w.worker, dead) == state::dead);
    const auto ready = w.submit_ready();
    const auto waits = w.wait_for(new_task_id(1));
    const auto task = w.start();
    w.damage("DELETE FROM errand_queue");
    w.damage("UPDATE errand_name_space SET layout = layout + 1");
    w.heals("unlisted", w.id_text(waits));
    CHECK(w.state_of(w.worker, ready) == state::ready);
    CHECK(w.state_of(w.worker, waits) == state::waiting);
    CHECK(w.state_of(w.worker, task.id) == state::working);
    CHECK(w.state_of(w.worker, dead) == state::dead);
    CHECK(w.claim(w.worker, 10).claimed.size() == 1);
}

TEST_CASE("a task that is listed in another state than it ended in is not any more, in a SQLite file") {
    file_ward w;
    w.submit_delayed();
    const auto good = w.end(state::success);
    w.damage_task("list = (SELECT k FROM errand_list WHERE kind = 1)", good);
    w.heals("wrong_list", w.id_text(good));
    CHECK(w.state_of(w.worker, good) == state::success);
}

TEST_CASE("a task that waits for what nobody will tell it goes on, in a SQLite file") {
    file_ward w;
    const auto parent = w.submit_delayed();
    const auto child = w.wait_for(parent);
    // The parent forgets who waits for it, and ends.
    w.damage("DELETE FROM errand_link WHERE kind = 'c'");
    w.heals("stuck", w.id_text(child));
    await(w.io, w.worker->cancel(parent, 0, outcome_of(state::cancelled)));
    // News that were lost.
    w.damage("DELETE FROM errand_news");
    w.heals("stuck", w.id_text(child));
    const auto news = await(w.io, w.worker->take_news(10, 10s));
    REQUIRE(news.entries.size() == 1);
    CHECK(news.entries[0].heirs == std::vector{child});
    // What it waited for is gone from its list.
    const auto alone = w.wait_for(new_task_id(1));
    w.damage("DELETE FROM errand_link WHERE of = " + w.sql(alone));
    w.heals("stuck", w.id_text(alone));
    // That it waits at all.
    const auto later = w.submit_delayed();
    const auto heir = w.wait_for(later);
    w.damage("DELETE FROM errand_waiting WHERE id = " + w.sql(heir));
    w.heals("stuck", w.id_text(heir));
    CHECK(w.ask("SELECT count(*) FROM errand_link WHERE kind = 'n' AND of = " + w.sql(heir)) == "1");
}

TEST_CASE("edges of tasks that are not there are forgotten, in a SQLite file") {
    file_ward w;
    const auto parent = w.submit_delayed();
    w.wait_for(parent);
    w.wait_for(new_task_id(2));
    CHECK(w.check().empty());
    const auto nobody = new_task_id(1);
    for (const std::string kind : {"n", "s", "c"}) {
        w.damage("INSERT INTO errand_link(ns, kind, of, other) SELECT ns, '" + kind + "', " + w.sql(nobody) +
                 ", " + w.sql(parent) + " FROM errand_link LIMIT 1");
        w.heals("stray_edge", w.id_text(nobody));
    }
    CHECK(w.ask("SELECT count(*) FROM errand_link") == "4");
    // A pass that cleans comes to them as well.
    w.damage("INSERT INTO errand_link(ns, kind, of, other) SELECT ns, 'n', " + w.sql(nobody) + ", " +
             w.sql(parent) + " FROM errand_link LIMIT 1");
    await(w.io, w.worker->clean(10));
    CHECK(w.ask("SELECT count(*) FROM errand_link") == "4");
}

TEST_CASE("a task that stands aside where nobody would find it is found again, in a SQLite file") {
    file_ward w;
    const auto id = w.put_aside(5);
    CHECK(w.check().empty());
    w.damage("UPDATE errand_list SET retention = 48 WHERE kind = 1 AND retention <> 0");
    w.damage("UPDATE errand_name_space SET layout = layout + 1");
    CHECK(w.adopt().empty());
    w.heals("hidden", w.id_text(id));
    const auto got = w.adopt();
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == id);
    CHECK(w.check().empty());
}

TEST_CASE("counters that are off are set right, in a SQLite file") {
    file_ward w;
    w.end(state::success);
    w.damage("UPDATE errand_list SET size = size + 5 WHERE kind = 5");
    w.heals("counter", "default");
    w.start();
    w.damage("UPDATE errand_list SET size = 40 WHERE kind = 3");
    w.heals("counter", "default");
}

TEST_CASE("an ended task that does not say how is deleted from a SQLite file") {
    file_ward w;
    const auto dead = w.end(state::dead);
    w.damage_task("outcome = NULL", dead);
    w.heals("no_outcome", w.id_text(dead));
}
