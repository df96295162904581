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
