// Items in bundles at the store's seam.
#include "core/bundles.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct joining_rule {
    int max_size = 10;
    duration wait{1h};
    duration grace{1h};
    std::size_t bytes = 10;
    std::string key = "a";
};

struct bundle_bench : store_fixture {
    member by = join("w");

    claimed_task taken(const task_id& id) {
        for (auto& one : claim(by, 10).claimed) {
            if (one.id == id) return one;
        }
        FAIL("it is not there to be claimed");
        return {};
    }
    task_id submitted(const std::string& args, int priority = 0) {
        auto item = item_of(args, "default", priority);
        const auto id = item.id;
        CHECK(submit(by, std::move(item)).verdict == submit_verdict::accepted);
        return id;
    }
    report joins(const claimed_task& task, const joining_rule& how) {
        joining one;
        one.key = bundle_key_of("test", "default", how.key);
        one.carrier = derive_carrier_id(one.key, task.id, task.claim);
        one.max_size = how.max_size;
        one.wait = how.wait;
        one.grace = how.grace;
        one.bytes = how.bytes;
        auto body = decode_body(task.body);
        body.args = "[]";
        body.retention = 24h;
        one.carrier_body = encode(body);
        auto said = report_of(task, report::kind::join);
        said.record = encode(one);
        return said;
    }
    // Submitted, claimed and put into its bundle.
    task_id collected(const std::string& args, const joining_rule& how = {}, int priority = 0) {
        const auto id = submitted(args, priority);
        const auto task = taken(id);
        CHECK(finish(by, {joins(task, how)}) == std::vector{report_verdict::accepted});
        CHECK(state_of(by, id) == state::waiting);
        return id;
    }
    task_id carrier_of(const task_id& item) {
        const auto found = await(io, by->find(item));
        REQUIRE(found);
        REQUIRE(found->needs.size() == 1);
        return found->needs.front();
    }
    std::vector<task_id> items_of(const task_id& carrier) {
        auto items = await(io, by->bundle(carrier, std::nullopt)).items;
        std::ranges::sort(items, {}, &bundle_item::place);
        std::vector<task_id> ids;
        for (const auto& one : items) ids.push_back(one.id);
        return ids;
    }
    void tell(const task_id& carrier, const task_id& item, const std::string& becomes) {
        const resolution told{
            .parent = carrier, .what = tidings::bundled, .cancelled = becomes, .children = {item}};
        await(io, by->resolve({&told, 1}, outcome_of(state::success)));
    }
    void promote() {
        const std::vector<std::string> queues{"default"};
        await(io, by->promote(queues, 100, outcome_of(state::expired)));
    }
};

using id_list = std::vector<task_id>;

}  // namespace

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

TEST_CASE("who takes over the run of a dead worker finds the same items, and nobody joins them",
          "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.max_size = 2}), b = here.collected("2", {.max_size = 2});
    const auto carrier = here.carrier_of(a);
    REQUIRE(here.claim(here.by, 1, {"default"}, 1ms).claimed.size() == 1);
    CHECK(here.items_of(carrier) == id_list{a, b});
    const auto c = here.collected("3", {.max_size = 2});
    std::vector<claimed_task> got;
    CHECK(here.until([&] {
        got = await(here.io, here.by->recover(10, 1h)).tasks;
        return !got.empty();
    }));
    CHECK(got[0].id == carrier);
    CHECK(here.items_of(carrier) == id_list{a, b});
    CHECK(here.carrier_of(c) != carrier);
}

TEST_CASE("the items of a large bundle come page by page, each once", "[collect]") {
    bundle_bench here;
    const joining_rule large{.max_size = 1000};
    id_list all, found;
    for (int i = 0; i < 320; ++i) all.push_back(here.submitted(std::to_string(i)));
    for (auto got = here.claim(here.by, 100).claimed; !got.empty(); got = here.claim(here.by, 100).claimed) {
        std::vector<report> said;
        for (const auto& one : got) said.push_back(here.joins(one, large));
        here.finish(here.by, std::move(said));
    }
    const auto carrier = here.carrier_of(all.front());
    int pages = 0;
    for (bundle_page page{.more = true}; page.more; ++pages) {
        const auto after = page.last;
        page = await(here.io, here.by->bundle(carrier, after));
        for (const auto& one : page.items) found.push_back(one.id);
    }
    CHECK(pages > 1);
    std::ranges::sort(all);
    std::ranges::sort(found);
    CHECK(found == all);
}

TEST_CASE("who has lost an item to another does not put it into a bundle", "[collect]") {
    bundle_bench here;
    const auto id = here.submitted("1");
    const auto task = here.taken(id);
    await(here.io, here.by->cancel(id, 0, outcome_of(state::cancelled)));
    CHECK(here.finish(here.by, {here.joins(task, {})}) == std::vector{report_verdict::lease_lost});
    CHECK(here.state_of(here.by, id) == state::cancelled);
}

TEST_CASE("what a run says of its items is done once, and only when it has ended", "[collect]") {
    bundle_bench here;
    const joining_rule two{.max_size = 2};
    const auto a = here.collected("1", two), b = here.collected("2", two);
    const auto carrier = here.carrier_of(a);
    here.tell(carrier, a, outcome_of(state::success));
    CHECK(here.state_of(here.by, a) == state::waiting);

    const auto got = here.claim(here.by, 10).claimed;
    REQUIRE(got.size() == 1);
    here.finish(here.by, {success_of(got[0])});
    const auto news = await(here.io, here.by->take_news(10, 10s));
    REQUIRE(news.entries.size() == 1);
    CHECK(news.entries[0].about == carrier);
    here.tell(carrier, a, outcome_of(state::success));
    CHECK(here.state_of(here.by, a) == state::success);
    here.tell(carrier, b, std::string(1, at_once));
    CHECK(here.state_of(here.by, b) == state::ready);
    // Told once more: the item is in another bundle by now.
    const auto again = here.taken(b);
    here.finish(here.by, {here.joins(again, two)});
    here.tell(carrier, b, outcome_of(state::success));
    CHECK(here.state_of(here.by, b) == state::waiting);
    CHECK(here.carrier_of(b) != carrier);
}

TEST_CASE("an item that has failed waits for its retry with its notes", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.max_size = 1});
    const auto carrier = here.carrier_of(a);
    const auto got = here.claim(here.by, 10).claimed;
    REQUIRE(got.size() == 1);
    here.finish(here.by, {success_of(got[0])});
    task_notes notes;
    notes.attempts = 1;
    here.tell(carrier, a, collected_again(1ms, encode(notes)));
    CHECK(here.until([&] {
        here.promote();
        return here.state_of(here.by, a) == state::ready;
    }));
    const auto task = here.taken(a);
    CHECK(decode_notes(task.notes).attempts == 1);
    // Its notes stay with it in the next bundle.
    here.finish(here.by, {here.joins(task, {})});
    const auto page = await(here.io, here.by->bundle(here.carrier_of(a), std::nullopt));
    REQUIRE(page.items.size() == 1);
    CHECK(decode_notes(page.items[0].notes).attempts == 1);
}

TEST_CASE("an item cannot be replaced or changed while its bundle is run", "[collect]") {
    bundle_bench here;
    const joining_rule two{.max_size = 2};
    const auto item = item_with(derive_task_id("test", "x"), "[1]");
    here.submit(here.by, item);
    here.finish(here.by, {here.joins(here.taken(item.id), two)});
    auto other = item_with(item.id, "[2]", on_conflict::replace);
    CHECK(here.submit(here.by, other).verdict == submit_verdict::replaced);
    CHECK(here.state_of(here.by, item.id) == state::ready);
    here.finish(here.by, {here.joins(here.taken(item.id), two)});
    here.collected("3", two);
    REQUIRE(here.claim(here.by, 10).claimed.size() == 1);
    other.body = item_with(item.id, "[3]").body;
    CHECK(here.submit(here.by, other).verdict == submit_verdict::rejected);
    const auto found = await(here.io, here.by->find(item.id));
    CHECK(await(here.io, here.by->edit({.id = item.id,
                                        .seen = found->body,
                                        .body = found->body,
                                        .due_at = here.by->now() + 1h,
                                        .expires_at = {}})) == edit_verdict::unchanged);
}

TEST_CASE(
    "an item that is to come later or is changed leaves its bundle, and one that only has another priority stays",
    "[collect]") {
    bundle_bench here;
    const auto change = [&](const task_id& id, bool unstarted_only, std::optional<time_point> due,
                            auto alter) {
        const auto seen = await(here.io, here.by->find(id))->body;
        auto body = decode_body(seen);
        alter(body);
        return await(here.io, here.by->edit({.id = id,
                                             .seen = seen,
                                             .body = encode(body),
                                             .due_at = due,
                                             .expires_at = {},
                                             .unstarted_only = unstarted_only}));
    };
    const auto nothing = [](task_body&) {};
    const auto a = here.collected("1");
    const auto carrier = here.carrier_of(a);
    CHECK(change(a, true, {}, [](task_body& body) { body.priority = 4; }) == edit_verdict::done);
    CHECK(here.items_of(carrier) == id_list{a});
    CHECK(change(a, false, time_point{}, nothing) == edit_verdict::done);
    // Who has read its items has closed it.
    const auto b = here.collected("2");
    CHECK(here.carrier_of(b) != here.carrier_of(a));
    const auto open = here.carrier_of(b);
    CHECK(change(b, true, {}, [](task_body& body) { body.args = "[7]"; }) == edit_verdict::done);
    CHECK(here.state_of(here.by, b) == state::ready);
    CHECK(here.items_of(open).empty());
    const auto again = here.taken(b);
    CHECK(args_of(again) == "[7]");
    here.finish(here.by, {here.joins(again, {.key = "c"})});
    const auto third = here.carrier_of(b);
    CHECK(change(b, false, here.by->now() + 1h, nothing) == edit_verdict::done);
    CHECK(here.state_of(here.by, b) == state::delayed);
    CHECK(here.items_of(third).empty());
}

TEST_CASE("an item has heard of its run, though it is in another bundle by now", "[collect]") {
    bundle_bench here;
    const auto a = here.collected("1", {.max_size = 1});
    const auto carrier = here.carrier_of(a);
    const auto got = here.claim(here.by, 10).claimed;
    REQUIRE(got.size() == 1);
    const auto hears = [&] {
        const resolution told{.parent = carrier,
                              .what = tidings::success,
                              .cancelled = outcome_of(state::cancelled),
                              .children = {a}};
        return await(here.io, here.by->resolve({&told, 1}, outcome_of(state::success))).at(0);
    };
    here.finish(here.by, {success_of(got[0])});
    // What is told to dependents is not for it.
    CHECK(hears() == id_list{a});
    CHECK(here.state_of(here.by, a) == state::waiting);
    here.tell(carrier, a, std::string(1, at_once));
    here.finish(here.by, {here.joins(here.taken(a), {})});
    CHECK(hears().empty());
    CHECK(here.state_of(here.by, a) == state::waiting);
}

TEST_CASE("an item that has expired leaves its bundle, but not one that is run", "[collect]") {
    bundle_bench here;
    const auto expiring = [&](const std::string& args) {
        auto item = item_of(args);
        auto body = decode_body(item.body);
        item.expires_after = body.expires_after = 1ms;
        item.body = encode(body);
        here.submit(here.by, item);
        return item.id;
    };
    const auto a = expiring("1");
    here.finish(here.by, {here.joins(here.taken(a), {})});
    const auto carrier = here.carrier_of(a);
    CHECK(here.until([&] {
        here.promote();
        return here.state_of(here.by, a) == state::expired;
    }));
    CHECK(here.items_of(carrier).empty());
    const auto b = expiring("2");
    here.finish(here.by, {here.joins(here.taken(b), {.max_size = 1, .key = "b"})});
    REQUIRE(here.claim(here.by, 10).claimed.size() == 1);
    const auto later = here.by->now() + 5ms;
    CHECK(here.until([&] {
        here.promote();
        return here.by->now() > later;
    }));
    CHECK(here.state_of(here.by, b) == state::waiting);
}

TEST_CASE("a check finds nothing wrong with bundles", "[collect]") {
    bundle_bench here;
    here.collected("1");
    const auto b = here.collected("2");
    await(here.io, here.by->cancel(b, 0, outcome_of(state::cancelled)));
    here.collected("3", {.max_size = 1, .key = "c"});
    const auto audit = here.by->audit(false);
    for (bool more = true; more;) {
        const auto step = await(here.io, audit->next());
        for (const auto& one : step.findings) FAIL_CHECK(one.kind << ": " << one.words);
        more = step.more;
    }
}
