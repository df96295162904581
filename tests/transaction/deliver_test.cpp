// What the store answers to what a database had accepted.
#include "client/deliver.hpp"
#include "handlers.hpp"
#include "outbox/database_core.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"
#include "support/database_fixture.hpp"
#include "support/store_fixture.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using namespace committed;
using errand::test::item_of;
using errand::test::item_with;
using errand::test::test_app;
using errand::test::test_database;

namespace {

errand::submission_item after(const errand::task_id& parent) {
    auto item = item_of("2");
    auto body = errand::decode_body(item.body);
    body.after.push_back(parent);
    item.body = errand::encode(body);
    item.after = {{parent, false}};
    return item;
}

}  // namespace

// The third is told apart from the fourth, which is not tried: the other way round it would be struck off, and lost.
TEST_CASE(
    "Each task that is delivered has the answer that is about itself, behind one that another submission holds",
    "[outbox][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    test_app t{settings};
    t.app.provide<place>();
    test_database db{t.app};
    const auto held = t.run(t.app.handler<named>().perform_async("held"));
    const auto id = *errand::parse_task_id(held.id());
    // As a submitter leaves it that stopped in the middle of its dependencies.
    server.command({"HSET", "errand:{" + settings.name_space + ".0}:waiting", std::string{id.view()}, "r"});
    auto free = item_of("1"), dependant = after(free.id);
    std::vector<errand::submission_item> items{item_with(id, "1"), item_with(id, "2"), free, dependant};
    for (auto& one : items) one.may_come_again = true;
    auto& core = db->core()->app();
    const auto got = t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
        return errand::deliver(there, items, 1min);
    }));
    REQUIRE(got.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK((got[i].failed != nullptr) == (i != 2));
    CHECK(t.run(t.app.find(errand::to_text(free.id))).has_value());
    CHECK_FALSE(t.run(t.app.find(errand::to_text(dependant.id))).has_value());
}

TEST_CASE("What is delivered for too long is not sent any more, and fails", "[outbox]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    std::vector<errand::submission_item> items{item_of("1"), item_of("2")};
    auto& core = db->core()->app();
    const auto deliver = [&](std::chrono::milliseconds most) {
        return t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
            return errand::deliver(there, items, most);
        }));
    };
    CHECK_THROWS_AS(deliver(-1ms), errand::store_error);
    for (const auto& one : items) CHECK_FALSE(t.run(t.app.find(errand::to_text(one.id))).has_value());
    for (const auto& one : deliver(1min)) CHECK(one.failed == nullptr);
    for (const auto& one : items) CHECK(t.run(t.app.find(errand::to_text(one.id))).has_value());
}

// They are more than one page.
TEST_CASE("What depends on a row that stays is not delivered before it", "[outbox][goes_away]") {
    errand::test::redis_server lost, there;
    auto settings = errand::test::fresh_settings();
    settings.store = lost.url();
    settings.shards = 1;
    settings.store_timeout = 10min;
    auto of_relay = settings;
    of_relay.store = there.url();
    test_app writer{settings}, t{of_relay};
    for (auto* one : {&writer, &t}) one->app.provide<place>();
    test_database written{writer.app};
    const auto db = errand::test::open_database(t.app, written.url());
    const auto left = [&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0); };
    const auto held = t.run(t.app.handler<named>().perform_async("held"));
    const auto id = std::string{errand::parse_task_id(held.id())->view()};
    const auto waiting = "errand:{" + settings.name_space + ".0}:waiting";
    there.command({"HSET", waiting, id, "r"});

    // The process that commits delivers nothing.
    writer.app.on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::commit_step && what.text == "committed") lost.freeze();
    });
    std::string dependant;
    writer.run(errand::transaction(*written, [&](auto&) -> errand::awaitable<void> {
        auto by = writer.app.handler<named>();
        const auto first = co_await by.perform_async("held");
        for (int i = 0; i < 210; ++i) co_await by.perform_async("other " + std::to_string(i));
        const auto last = co_await by.with({.after = {first}}).perform_async("dependant");
        dependant = last.id();
    }));
    t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    t.run(db->core()->deliver_left_behind());
    CHECK(left() == 2);
    CHECK_FALSE(t.run(t.app.find(dependant)).has_value());
    there.command({"HDEL", waiting, id});
    t.run(db->core()->deliver_left_behind());
    CHECK(left() == 0);
    CHECK(t.run(t.app.find(dependant)).has_value());
}
