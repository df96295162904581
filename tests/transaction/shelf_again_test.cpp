// What is shelved and may come again, as the lines of an import do when nobody knows whether they were sent.
#include "shelf_by_hand.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <utility>

using namespace std::chrono_literals;
using namespace committed;
using errand::submit_verdict;

namespace {

errand::submission_item line_due(const std::string& number, errand::time_point now, errand::duration in) {
    auto item = item_under(errand::derive_task_id("line", number), errand::on_conflict::keep, in);
    item.at = now + *std::exchange(item.delay, std::nullopt);
    item.may_come_again = item.may_come_again_there = true;
    item.for_shelf = item.asks_shelf = true;
    return item;
}

errand::submit_answer send(shelf_by_hand& by, const errand::submission_item& item) {
    const std::array one{item};
    return errand::test::await(by.io, by.on->submit(0, one, errand::submit_mode::each)).at(0);
}

// Until everybody who looks at the shelf has brought it there is nothing on it, and what the store remembers of that is forgotten.
void bring_and_forget(shelf_desk& d, const errand::submission_item& item) {
    test_app eager{d.eager()};
    CHECK(fetch_all(eager) == 1);
    CHECK(d.on_shelf() == 0);
    const auto id = errand::to_text(item.id);
    CHECK(d.in_store(id));
    CHECK(d.t.run(d.t.app.inspect().remove(id)));
    test_app blind{d.plain};
    const std::array gone{errand::delivered_task{item.id, errand::incarnation_of(item.body)}};
    blind.run(errand::on_loop(errand::detail::core_of(blind.app).background(),
                              [&](errand::loop& there) { return there.tasks().forget(gone); }));
}

}  // namespace

TEST_CASE(
    "what may come again and was on the shelf is known there until it is forgotten, whatever has become of it",
    "[shelf][shared_by_apps]") {
    shelf_desk d;
    shelf_by_hand by{d};
    auto item = line_due("1", by.on->now(), 5 * 24h);
    const auto life = errand::incarnation_of(item.body);
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(d.on_shelf() == 1);
    CHECK(send(by, item).life == life);
    CHECK(d.on_shelf() == 1);
    bring_and_forget(d, item);
    SECTION("while it is for the shelf") {
        CHECK(send(by, item).life == life);
        CHECK(d.on_shelf() == 0);
    }
    SECTION("when it is due soon") {
        item.for_shelf = false;
        const auto again = send(by, item);
        CHECK(again.verdict == submit_verdict::duplicate);
        CHECK(again.life == life);
    }
    CHECK_FALSE(d.in_store(errand::to_text(item.id)));
    const std::array gone{errand::delivered_task{item.id, life, true}};
    errand::test::await(by.io, by.on->forget(gone));
    item.for_shelf = true;
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(d.on_shelf() == 1);
}

TEST_CASE("what may come again and is in the store does not go on the shelf when it comes again", "[shelf]") {
    shelf_desk d;
    shelf_by_hand by{d};
    auto item = line_due("1", by.on->now(), 5 * 24h);
    const auto life = errand::incarnation_of(item.body);
    item.for_shelf = false;
    CHECK(send(by, item).verdict == submit_verdict::accepted);
    CHECK(d.t.run(d.t.app.inspect().remove(errand::to_text(item.id))));
    item.for_shelf = true;
    CHECK(send(by, item).life == life);
    CHECK(d.on_shelf() == 0);
}
