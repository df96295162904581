// Leases of a flow's tasks: kept, lost, and told of what is cancelled.
#include "service/flow_shop.hpp"
#include "service/instant.hpp"
#include "service/programs.hpp"
#include "support/store_kind.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

using service_test::flow_shop;
using service_test::json_text;
namespace json = boost::json;

TEST_CASE("what a worker reports or extends that has lost its task changes nothing", "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create(R"("content": {"n": 1})");
    const auto a = shop.hold_one(R"("lease_ms": 1000, "worker": "a")");
    const auto b = shop.hold_one(R"("worker": "b")");
    CHECK(b.at("id") == json::string_view{id});
    CHECK(b.at("claim") != a.at("claim"));
    const auto before = json_text(shop.look(id));
    for (const auto* more : {R"("stage": "stolen", "content": {"n": 2})", ""}) {
        const auto got = shop.report(a, *more ? "next" : "done", more);
        service_test::is_lost(got);
    }
    CHECK(shop.extend(a).at("error").at("code") == "claim_lost");
    CHECK(json_text(shop.look(id)) == before);
    CHECK(shop.reported(b, "done").at("status") == "success");
    CHECK(json_text(shop.look(id).at("content")) == R"({"n":1})");
}

TEST_CASE("the tasks of a worker that dies come back at their stage, with the content that it reported last",
          "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create(R"("content": {"n": 1})");
    shop.reported(shop.hold_one(), "next", R"("stage": "second", "content": {"n": 2})");
    const auto died = shop.hold_one(R"("lease_ms": 1000, "worker": "dies")");
    CHECK(died.at("stage") == "second");
    const auto back = shop.hold_one(R"("worker": "heir")");
    CHECK(back.at("id") == json::string_view{id});
    CHECK(back.at("stage") == "second");
    CHECK(json_text(back.at("content")) == R"({"n":2})");
    CHECK(back.at("attempt") == 3);
    CHECK(back.at("retries") == 1);
    CHECK(back.at("log").as_array().back().at("error") == "lease ended");
    CHECK(back.at("log").as_array().back().at("stage") == "second");
    // It was not back before its lease had ended.
    CHECK(flow_shop::text(back, "changed_at") >= flow_shop::text(died, "lease_until"));
    // From the second lost lease in a row on the backoff applies.
    shop.hold(R"("limit": 1)");
}

TEST_CASE("a lease that is extended is kept, and says until when", "[service][flow]") {
    flow_shop shop{R"("lease_ms": 1000)"};
    shop.create();
    const auto task = shop.hold_one();
    const auto longer = shop.extend(task, R"(, "lease_ms": 60000)");
    CHECK(flow_shop::text(longer, "lease_until") > flow_shop::text(task, "lease_until"));
    // Longer than the first lease.
    CHECK(shop.hold(R"("wait_ms": 1500)").empty());
    CHECK(shop.reported(task, "done").at("status") == "success");
}

TEST_CASE("who waits with his leases keeps them, and hears of the one that is cancelled", "[service][flow]") {
    flow_shop shop{R"("lease_ms": 1000)"};
    shop.create();
    shop.create();
    const auto held = shop.hold(R"("limit": 2, "wait_ms": 60000)");
    REQUIRE(held.size() == 2);
    const auto& first = held.at(0).as_object();
    const auto& second = held.at(1).as_object();
    const auto leases =
        R"({"leases": [)" + flow_shop::lease_of(first) + ", " + flow_shop::lease_of(second) + ']';
    // Longer than the lease, with nothing to hear of.
    const auto kept = shop.done("POST", "/leases:extend", leases + R"(, "wait_ms": 1500})").at("results");
    for (const auto& one : kept.as_array()) CHECK(one.as_object().contains("lease_until"));
    const auto hears = [&](service_test::client& at, const json::object& of) {
        at.send(shop.request(at, "/leases:extend", leases + R"(, "wait_ms": 60000})"));
        shop.done("DELETE", "/tasks/film/" + flow_shop::text(of, "id"));
        return at.receive().json().at("results").as_array();
    };
    auto line = shop.connect();
    const auto got = hears(line, first);
    CHECK(got.at(0).at("cancel") == true);
    CHECK(got.at(1).as_object().size() == 1);
    CHECK(got.at(1).as_object().contains("lease_until"));
    CHECK(shop.reported(second, "again", R"("in_ms": 0)").at("status") == "pending");
    // What is not held any more is told at once.
    const auto again = shop.done("POST", "/leases:extend", leases + R"(, "wait_ms": 60000})").at("results");
    CHECK(again.at(0).at("cancel") == true);
    CHECK(again.at(1).at("error").at("code") == "claim_lost");
}

TEST_CASE("who waits with his leases keeps them also on several shards", "[service][flow][in_shards]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 3;
    flow_shop shop{R"("lease_ms": 60000)", {}, settings};
    for (int n = 0; n < 8; ++n) shop.create();
    std::string leases;
    for (const auto& one : shop.hold(R"("limit": 8, "wait_ms": 60000)"))
        leases += (leases.empty() ? "" : ", ") + flow_shop::lease_of(one.as_object());
    // He looks at once, and twice more, and lengthens none of them meanwhile.
    const auto kept =
        shop.done("POST", "/leases:extend", R"({"leases": [)" + leases + R"(], "wait_ms": 1500})");
    REQUIRE(kept.at("results").as_array().size() == 8);
    for (const auto& one : kept.at("results").as_array()) {
        CHECK(one.as_object().contains("lease_until"));
        CHECK_FALSE(one.as_object().contains("error"));
    }
}

TEST_CASE("who waits with his leases has them written again when a third of one is over, and not before",
          "[service][flow]") {
    flow_shop shop{R"("lease_ms": 60000)"};
    shop.create();
    const auto task = shop.hold_one();
    const auto kept = shop.done("POST", "/leases:extend",
                                R"({"leases": [)" + flow_shop::lease_of(task) + R"(], "wait_ms": 2500})");
    const auto answered = std::chrono::floor<errand::duration>(std::chrono::system_clock::now());
    // Meanwhile it was looked for twice.
    const auto until = flow_shop::text(kept.at("results").at(0).as_object(), "lease_until");
    CHECK(until <= errand::instant_text(answered + std::chrono::seconds{58}));
    CHECK(until >= flow_shop::text(task, "lease_until"));
}

TEST_CASE("of a task that was held by way of another service a cancellation is heard as well",
          "[service][flow]") {
    if (!errand::test::can(errand::test::capability::shared_by_apps)) return;
    flow_shop shop;
    const auto id = shop.create();
    const auto task = shop.hold_one();
    service_test::another_service other{shop.t};
    auto elsewhere = other.there.connect();
    elsewhere.send(shop.request(elsewhere, "/leases:extend",
                                R"({"leases": [)" + flow_shop::lease_of(task) + R"(], "wait_ms": 60000})"));
    shop.done("DELETE", "/tasks/film/" + id);
    CHECK(elsewhere.receive().json().at("results").at(0).at("cancel") == true);
}
