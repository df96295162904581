// What becomes of a bundle's items while it is run and after, at the store's seam.
#include "conformance/bundle_bench.hpp"

using namespace bundle_test;

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
