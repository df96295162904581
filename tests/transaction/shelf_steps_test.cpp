// A program that dies at any step between the shelf's database and the store, before it or when nobody has heard yet that it was done:
// what it was about to shelve, to bring or to forget runs once, and not before its time.
#include "shelf_by_hand.hpp"
#include "shelf_cut.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <functional>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::state;
using errand::test::eventually;

namespace {

using items = std::vector<errand::submission_item>;
constexpr auto due_in = 150ms;

// One with an id that is drawn by chance, and one whose id follows from a name.
errand::submission_item counted_item(std::int64_t number, errand::time_point now, bool named) {
    const auto due = now + due_in;
    errand::task_body body;
    body.queue = "counted";
    body.handler = named ? "committed::counted_by_name" : "committed::counted";
    body.args = '[' + std::to_string(number) + ',' + std::to_string(due.time_since_epoch().count()) + ']';
    body.life =
        static_cast<std::uint64_t>(now.time_since_epoch().count()) << 16U | (errand::random_bits() & 0xFFFFU);
    if (named) body.biz_id = std::to_string(number);
    errand::submission_item item;
    item.id = named ? errand::derive_task_id(body.handler, *body.biz_id)
                    : errand::new_task_id(now.time_since_epoch().count());
    item.body = errand::encode(body);
    item.queue = body.queue;
    item.at = due;
    item.shelve_after = 100ms;
    item.for_shelf = item.asks_shelf = true;
    return item;
}

struct yard {
    yard() : seen{blind.app.provide<place>()} { blind.start(); }

    items two_more() {
        const auto now = sound.on->now();
        items all;
        for (const bool named : {false, true}) all.push_back(counted_item(++made, now, named));
        return all;
    }
    // As whoever was not told that they were accepted submits them again.
    void shelve(const items& all) {
        const auto answers =
            errand::test::await(sound.io, sound.on->submit(0, all, errand::submit_mode::each));
        for (std::size_t at = 0; at < all.size(); ++at)
            CHECK(answers[at].life == errand::incarnation_of(all[at].body));
    }
    items two_on_shelf() {
        auto all = two_more();
        shelve(all);
        return all;
    }

    // Does it in a program that dies at that step; whether it came so far.
    bool dies_at(std::size_t step, bool when_done, const std::function<void(shelf_by_hand&, knife&)>& work) {
        knife by;
        const auto cut = [&by](std::unique_ptr<errand::store> in) {
            return std::make_unique<cut_store>(std::move(in), by);
        };
        shelf_by_hand dies{d,
                           {.store = cut,
                            .carrier = cut,
                            .database =
                                [&by](std::unique_ptr<errand::sql::driver> in) {
                                    return std::make_unique<watched_driver>(std::move(in), by);
                                }},
                           {.forgets_after = 0s}};
        by.set(step, when_done);
        try {
            work(dies, by);
        } catch (const killed&) {
        }
        return by.dead();
    }

    // All that the store has runs, by a worker that knows of no shelf; and then others come by.
    void come_to_the_end() {
        run_what_is_there();
        eventually([&] {
            // As if the minute were over in which whoever has noted something is waited for.
            d.t.run(db->execute("UPDATE errand_shelf_brought SET noted_at = 5"));
            fetch(sound);
            return d.on_shelf() == 0 &&
                   d.t.run(db->query<std::int64_t>("SELECT count(*) FROM errand_shelf_brought")).at(0) == 0;
        });
        run_what_is_there();
        const std::lock_guard lock{seen.guard};
        for (std::int64_t number = 1; number <= made; ++number) CHECK(seen.runs[number] == 1);
        CHECK(seen.early == 0);
    }
    static void fetch(shelf_by_hand& by) {
        const auto of = std::make_shared<errand::shelf_pass>();
        while (!of->over) errand::test::await(by.io, by.on->fetch_shelved(of));
    }
    void run_what_is_there() {
        eventually([this] {
            std::size_t open = 0;
            for (const auto& queue : blind.run(blind.app.inspect().queues())) {
                for (const auto where : {state::ready, state::delayed, state::retry, state::working})
                    open += queue.count(where);
            }
            return open == 0;
        });
    }

    shelf_desk d;
    std::shared_ptr<errand::database> db = errand::test::open_database(d.t.app, d.url, {.install = false});
    shelf_by_hand sound{d};
    test_app blind{d.plain};
    place& seen;
    std::int64_t made = 0;
};

// What is done before, in the program that dies, and after that.
struct trial {
    std::function<void()> before;
    std::function<void(shelf_by_hand&, knife&)> work;
    std::function<void()> after = [] {};
};

// It dies at each step in turn, until it comes to its end.
void die_at_each_step(yard& y, const trial& of) {
    std::size_t step = 0;
    for (bool died = true; died;) {
        ++step;
        for (const bool when_done : {false, true}) {
            INFO("step " << step << (when_done ? ", done" : ""));
            of.before();
            died = y.dies_at(step, when_done, of.work);
            of.after();
            y.come_to_the_end();
            if (!died) break;
        }
    }
    // Looks, what is written for both of them, and what is said to the store.
    constexpr std::size_t at_least = 8;
    CHECK(step > at_least);
}

bool forgot(shelf_by_hand& on, const knife& by, std::size_t count) {
    return errand::test::run_until(on.io, [&] { return by.dead() || by.forgotten() == count; });
}

}  // namespace

TEST_CASE("a program killed at any step of shelving leaves nothing that is lost or runs twice",
          "[shelf][shared_by_apps]") {
    yard y;
    items all;
    die_at_each_step(y, {.before = [&] { all = y.two_more(); },
                         .work =
                             [&](shelf_by_hand& on, knife&) {
                                 errand::test::await(on.io, on.on->submit(0, all, errand::submit_mode::each));
                             },
                         .after =
                             [&] {
                                 y.shelve(all);
                                 CHECK(y.d.on_shelf() == all.size());
                             }});
}

TEST_CASE(
    "a program killed at any step of fetching, delivering and forgetting leaves nothing that is lost or runs twice",
    "[shelf][shared_by_apps]") {
    yard y;
    items all;
    die_at_each_step(y, {.before = [&] { all = y.two_on_shelf(); },
                         .work =
                             [&](shelf_by_hand& on, knife& by) {
                                 y.fetch(on);
                                 CHECK(forgot(on, by, all.size()));
                             }});
}

TEST_CASE(
    "a program killed at any step of bringing what somebody awaits leaves nothing that is lost or runs twice",
    "[shelf][shared_by_apps]") {
    yard y;
    items all;
    die_at_each_step(y, {.before = [&] { all = y.two_on_shelf(); },
                         .work =
                             [&](shelf_by_hand& on, knife& by) {
                                 const std::array both{errand::watched_task{.id = all[0].id},
                                                       errand::watched_task{.id = all[1].id}};
                                 errand::test::await(on.io, on.on->watch(both));
                                 CHECK(forgot(on, by, all.size()));
                             }});
}
