// Sections 1 and 2 of the contract: how a task is submitted and found.
#include "conformance/api_handlers.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using errand::test::clocks_apart;
using errand::test::test_app;
using namespace api_call;

TEST_CASE("A delayed task is not run before its time", "[api]") {
    test_app t;
    t.start();
    auto late = t.run(t.app.handler<no_result>().perform_in(1h));
    // Longer than two servers may differ by.
    const auto delay = 30ms + clocks_apart();
    auto soon = t.run(t.app.handler<no_result>().perform_in(delay));
    auto at = t.run(t.app.handler<no_result>().perform_at(std::chrono::system_clock::now() + delay));
    auto option = t.run(t.app.handler<no_result>().with({.delay = delay}).perform_async());
    for (const auto& h : {soon, at, option}) {
        t.wait(h);
        const auto info = t.info(h);
        CHECK(*info.started_at + clocks_apart() >= *info.due_at);
    }
    CHECK(t.info(late).state == errand::state::delayed);
    CHECK(t.run(late.cancel()));
}

TEST_CASE("Bulk submission gives handles in the order of the items", "[api]") {
    test_app t;
    t.start();
    std::vector<std::tuple<int, int>> sums;
    for (int i = 0; i < 1200; ++i) sums.emplace_back(i, 1);
    auto handles = t.run(t.app.handler<add>().perform_bulk(sums));
    REQUIRE(handles.size() == 1200);
    CHECK(t.wait(handles[0]) == 1);
    CHECK(t.wait(handles[1199]) == 1200);
    auto orders =
        t.run(t.app.handler<send_receipt>().perform_bulk(std::vector{order{"a", 1, {}}, order{"b", 2, {}}}));
    CHECK(t.wait(orders[1]).order_id == "b");
}

TEST_CASE("Bulk submission names the item that does not encode and submits none", "[api]") {
    test_app t;
    std::vector<order> items(20);
    items[17].id = "\xff\xfe";
    CHECK_THROWS_WITH(t.run(t.app.handler<send_receipt>().perform_bulk(items)),
                      ContainsSubstring("item 17: args[0].id"));
}

TEST_CASE("Bulk submission reports what the store refused after all have answered", "[api]") {
    test_app t;
    t.start();
    auto proxy = t.app.handler<send_receipt>().with({.on_duplicate = errand::reject});
    auto first = t.run(proxy.perform_async(order{"b", 1, {}}));
    try {
        t.run(proxy.perform_bulk(std::vector{order{"a", 1, {}}, order{"b", 1, {}}, order{"c", 1, {}}}));
        FAIL("no exception");
    } catch (const errand::bulk_error& e) {
        REQUIRE(e.handles<receipt>().size() == 3);
        CHECK(t.wait(*e.handles<receipt>()[0]).order_id == "a");
        CHECK_FALSE(e.handles()[1].has_value());
        CHECK_THROWS_AS(std::rethrow_exception(e.errors()[1]), errand::duplicate_task);
        CHECK(t.wait(*e.handles<receipt>()[2]).order_id == "c");
    }
}

TEST_CASE("A task is submitted and found by name and id without its type", "[api]") {
    test_app t;
    t.start();
    boost::json::array args;
    args.emplace_back(boost::json::array{1, 2});
    auto h = t.run(t.app.perform("vectors.echo", args));
    CHECK(t.run(h.result(20s)) == boost::json::value{1, 2});
    auto old = t.run(t.app.perform("vectors.old", args));
    CHECK(t.run(old.result(20s)) == boost::json::value{1, 2});
    auto found = t.run(t.app.find<std::vector<int>>(h.id()));
    REQUIRE(found);
    CHECK(t.wait(*found) == std::vector{1, 2});
    CHECK(t.run(t.app.find(h.id()))->handler == "vectors.echo");
    CHECK_FALSE(t.run(t.app.find("0198c5d2-0000-7000-8000-000000000000")));
}

TEST_CASE("A text that is no id finds nothing", "[api]") {
    test_app t;
    const auto id = t.run(t.app.handler<add>().perform_in(1h, 1, 2)).id();
    for (const std::string& text : {std::string{"no id"}, std::string{}, id + "\n", "\n" + id, id + id}) {
        CAPTURE(text);
        CHECK_FALSE(t.run(t.app.find(text)));
        CHECK_FALSE(t.run(t.app.find<int>(text)));
        CHECK_FALSE(t.run(t.app.graph(text)));
        CHECK_FALSE(t.run(t.app.inspect().find(text)));
    }
    CHECK(t.run(t.app.find(id)));
}

TEST_CASE("A negative delay is none, however it is given", "[api]") {
    test_app t;
    const auto add_up = t.app.handler<add>();
    auto in = t.run(add_up.perform_in(-5s, 1, 2));
    auto with = t.run(add_up.with({.delay = -5s}).perform_async(1, 2));
    CHECK(t.info(in).state == errand::state::ready);
    CHECK(t.info(with).state == errand::state::ready);
    CHECK(t.info(with).due_at == t.info(with).submitted_at);
}

TEST_CASE("A biz_id that is no UTF-8 or too long is refused wherever it is given", "[api]") {
    test_app t;
    const auto receipts = t.app.handler<send_receipt>();
    for (const std::string& bad : {std::string{"caf\xe9"}, std::string(513, 'b')}) {
        CHECK_THROWS_AS(t.run(receipts.perform_async(order{bad, 1, {}})), errand::error);
        CHECK_THROWS_AS(t.run(receipts.with({.biz_id = bad}).perform_async(order{"o", 1, {}})),
                        errand::usage_error);
        CHECK_THROWS_AS(t.run(t.app.perform("vectors.echo", {}, {.biz_id = bad})), errand::usage_error);
        CHECK_THROWS_AS(receipts.ref(bad), errand::usage_error);
    }
    const std::string longest(512, 'b');
    CHECK_FALSE(t.run(receipts.perform_async(order{longest, 1, {}})).duplicate());
    CHECK(t.run(receipts.with({.biz_id = longest}).perform_async(order{"o", 1, {}})).duplicate());
}
