// Items in bundles at the store's seam.
#include "conformance/bundle_bench.hpp"

using namespace bundle_test;

TEST_CASE("items of a key wait in one bundle, in the order in which they came, until it is full",
          "[collect]") {
    bundle_bench here;
    const joining_rule three{.max_size = 3};
    const auto a = here.collected("1", three), b = here.collected("2", three);
    const auto carrier = here.carrier_of(a);
    CHECK(is_carrier(carrier));
    CHECK(here.carrier_of(b) == carrier);
    CHECK(here.state_of(here.by, carrier) == state::delayed);
    const auto c = here.collected("3", three);
    CHECK(here.state_of(here.by, carrier) == state::ready);
    CHECK(here.items_of(carrier) == id_list{a, b, c});
    const auto d = here.submitted("4");
    const auto got = here.claim(here.by, 10).claimed;
    REQUIRE(got.size() == 2);
    CHECK(got[0].id == carrier);
    CHECK(got[1].id == d);
    CHECK(here.finish(here.by, {here.joins(got[1], three)}) == std::vector{report_verdict::accepted});
    CHECK(here.carrier_of(d) != carrier);
}

TEST_CASE("items of another key wait in another bundle", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1"), b = here.collected("2", {.key = "b"});
    CHECK(here.carrier_of(a) != here.carrier_of(b));
}

TEST_CASE("a bundle with 1 MiB of arguments is full", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.bytes = most_item_bytes / 2});
    CHECK(here.state_of(here.by, here.carrier_of(a)) == state::delayed);
    here.collected("2", {.bytes = most_item_bytes / 2});
    CHECK(here.state_of(here.by, here.carrier_of(a)) == state::ready);
}

TEST_CASE("a bundle that is due takes items until a worker takes it, and is full then as before",
          "[collect]") {
    bundle_bench here;
    const joining_rule soon{.max_size = 3, .grace = 1ms};
    const auto a = here.submitted("1"), b = here.submitted("2"), c = here.submitted("3"),
               d = here.submitted("4");
    const auto got = here.claim(here.by, 4).claimed;
    REQUIRE(got.size() == 4);
    here.finish(here.by, {here.joins(got[0], soon)});
    const auto carrier = here.carrier_of(a);
    CHECK(here.until([&] {
        here.promote();
        return here.state_of(here.by, carrier) == state::ready;
    }));
    here.finish(here.by, {here.joins(got[1], soon)});
    CHECK(here.carrier_of(b) == carrier);
    CHECK(here.state_of(here.by, carrier) == state::ready);
    here.finish(here.by, {here.joins(got[2], soon)});
    CHECK(here.carrier_of(c) == carrier);
    here.finish(here.by, {here.joins(got[3], {})});
    CHECK(here.carrier_of(d) != carrier);
    // It stands there once.
    const auto run = here.claim(here.by, 10).claimed;
    REQUIRE(run.size() == 1);
    CHECK(run[0].id == carrier);
    CHECK(here.items_of(carrier) == id_list{a, b, c});
}

TEST_CASE("a bundle whose run was claimed takes no more items", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.grace = 1ms});
    const auto carrier = here.carrier_of(a);
    std::vector<claimed_task> run;
    CHECK(here.until([&] {
        here.promote();
        run = here.claim(here.by, 1).claimed;
        return !run.empty();
    }));
    CHECK(run[0].id == carrier);
    const auto b = here.collected("2");
    CHECK(here.carrier_of(b) != carrier);
    CHECK(here.items_of(carrier) == id_list{a});
}

TEST_CASE("a bundle whose run was put off takes no more items", "[collect]") {
    bundle_bench here;
    for (const auto how : {report::kind::later, report::kind::retry}) {
        const auto key = std::to_string(static_cast<int>(how));
        const auto a = here.collected("1", {.grace = 1ms, .key = key});
        const auto carrier = here.carrier_of(a);
        std::vector<claimed_task> run;
        CHECK(here.until([&] {
            here.promote();
            run = here.claim(here.by, 1).claimed;
            return !run.empty();
        }));
        CHECK(run[0].id == carrier);
        CHECK(here.finish(here.by, {report_of(run[0], how, 1h)}) == std::vector{report_verdict::accepted});
        const auto b = here.collected("2", {.key = key});
        CHECK(here.carrier_of(b) != carrier);
        CHECK(here.items_of(carrier) == id_list{a});
    }
}

TEST_CASE("what is more urgent than a bundle that is due begins another", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.grace = 1ms});
    const auto carrier = here.carrier_of(a);
    CHECK(here.until([&] {
        here.promote();
        return here.state_of(here.by, carrier) == state::ready;
    }));
    const auto b = here.submitted("2", 9);
    const auto got = here.claim(here.by, 1).claimed;
    REQUIRE(got.size() == 1);
    here.finish(here.by, {here.joins(got[0], {})});
    CHECK(here.carrier_of(b) != carrier);
    CHECK(here.items_of(carrier) == id_list{a});
}

TEST_CASE("a bundle is due after the last item, but not later than so long after the first", "[collect]") {
    bundle_bench here;
    const auto due = [&](const task_id& carrier) { return *await(here.io, here.by->find(carrier))->due_at; };
    const auto a = here.collected("1", {.wait = 2h, .grace = 1h});
    const auto carrier = here.carrier_of(a);
    const auto first = due(carrier);
    CHECK(first > here.by->now() + 59min);
    CHECK(first < here.by->now() + 61min);
    here.collected("2", {.wait = 2h, .grace = 90min});
    const auto second = due(carrier);
    CHECK(second > first + 29min);
    here.collected("3", {.wait = 2h, .grace = 5h});
    CHECK(due(carrier) > first + 59min);
    CHECK(due(carrier) < first + 61min);
}

TEST_CASE("the run of a bundle has the highest priority of its items", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.max_size = 3}, 2);
    const auto carrier = here.carrier_of(a);
    here.collected("2", {.max_size = 3}, 7);
    here.collected("3", {.max_size = 3}, 1);
    const auto found = await(here.io, here.by->find(carrier));
    CHECK(decode_body(found->body).priority == 7);
    here.submitted("4", 6);
    const auto got = here.claim(here.by, 1).claimed;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == carrier);
}

TEST_CASE("an item that was cancelled has left its bundle, and does not count", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.max_size = 2});
    const auto carrier = here.carrier_of(a);
    CHECK(await(here.io, here.by->cancel(a, 0, outcome_of(state::cancelled))).cancelled);
    CHECK(here.items_of(carrier).empty());
}

TEST_CASE("a bundle of which all items have left takes others", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.max_size = 2});
    const auto carrier = here.carrier_of(a);
    await(here.io, here.by->cancel(a, 0, outcome_of(state::cancelled)));
    const auto b = here.collected("2", {.max_size = 2});
    CHECK(here.carrier_of(b) == carrier);
    CHECK(here.state_of(here.by, carrier) == state::delayed);
    const auto c = here.collected("3", {.max_size = 2});
    CHECK(here.state_of(here.by, carrier) == state::ready);
    CHECK(here.items_of(carrier) == id_list{b, c});
}
