// A store with a shelf that is put together by hand, whose ways down can be slow or away.
#include "shelf_by_hand.hpp"
#include "store/shards/routes.hpp"
#include "support/shards.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::state;

namespace {

struct watched {
    std::size_t sent = 0, forgets_begun = 0, forgotten = 0;
    bool forgets = true;
    boost::asio::steady_timer* answers_then = nullptr;  // to what is to be forgotten; null: at once
    std::optional<std::size_t> only_in{};               // this shard
    std::size_t of_several_shards = 0;                  // calls
};

// By which tasks are brought.
class watched_carrier final : public errand::passing_store {
public:
    watched_carrier(std::unique_ptr<errand::store> in, watched& seen)
        : passing_store{std::move(in)}, seen_{seen} {}

    errand::awaitable<std::vector<errand::submit_answer>> submit(
        std::size_t lane, std::span<const errand::submission_item> items, errand::submit_mode mode) override {
        seen_.sent += items.size();
        return in_.submit(lane, items, mode);
    }
    errand::awaitable<void> forget(std::span<const errand::delivered_task> tasks) override {
        if (!seen_.forgets) throw errand::store_error{"it is away just now"};
        ++seen_.forgets_begun;
        const auto shard = in_.shard_of(tasks.front().id);
        if (std::ranges::any_of(tasks, [&](const auto& one) { return in_.shard_of(one.id) != shard; }))
            ++seen_.of_several_shards;
        co_await in_.forget(tasks);
        if (seen_.answers_then && seen_.only_in.value_or(shard) == shard)
            co_await seen_.answers_then->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        seen_.forgotten += tasks.size();
    }

private:
    watched& seen_;
};

// Outlives what it watches.
struct watcher {
    watched seen;
};
struct by_hand : watcher, shelf_by_hand {
    by_hand(shelf_desk& of, errand::shelf::bringing_times times)
        : shelf_by_hand{of,
                        {.carrier =
                             [this](std::unique_ptr<errand::store> in) {
                                 return std::make_unique<watched_carrier>(std::move(in), seen);
                             }},
                        times} {}

    // Why something stayed.
    std::string fetch() {
        const auto of = std::make_shared<errand::shelf_pass>();
        while (!of->over) errand::test::await(io, on->fetch_shelved(of));
        return words_of([&] {
            if (of->failure) std::rethrow_exception(of->failure);
        });
    }
    bool cancel(const std::string& id) {
        const auto which = *errand::parse_task_id(id);
        const auto there = errand::test::await(io, on->find(which));
        REQUIRE(there);
        errand::task_outcome outcome;
        outcome.ended_as = state::cancelled;
        outcome.retention = 24h;
        const auto text = errand::encode(outcome);
        return errand::test::await(io, on->cancel(which, errand::incarnation_of(there->body), text)).known;
    }
};

}  // namespace

// Somebody else may have brought it since the rows were read, and it may have run and be forgotten.
TEST_CASE("what was read from the shelf long ago is not sent any more, and stays there", "[shelf]") {
    shelf_desk d;
    const auto h = d.far<receipt>(std::int64_t{1});
    {
        by_hand slow{d, {.sends_for = 0s}};
        CHECK(slow.fetch().find("the store is too slow") != std::string::npos);
        CHECK(slow.seen.sent == 0);
        CHECK(d.on_shelf() == 1);
        CHECK_THROWS_AS(slow.cancel(h.id()), errand::store_error);
        CHECK(d.on_shelf() == 1);
    }
    by_hand quick{d, {}};
    CHECK(quick.fetch() == "accepted");
    CHECK(quick.seen.sent == 1);
    CHECK(d.on_shelf() == 0);
    CHECK(d.t.info(h).state == state::delayed);
}

TEST_CASE("rows that a program has taken when it ends are there for others", "[shelf][shared_by_apps]") {
    shelf_desk d;
    std::set<std::string> ids;
    std::vector<std::int64_t> numbers(1200);
    for (const auto& h : d.t.run(d.t.app.handler<receipt>().with({.delay = 5 * 24h}).perform_bulk(numbers)))
        ids.insert(h.id());
    for (int looks = 0; looks < 12; ++looks) {
        test_app ends{d.eager()};
        auto& there = errand::detail::core_of(ends.app).background();
        const auto fetch = [](errand::loop& on) -> errand::awaitable<void> {
            const auto of = std::make_shared<errand::shelf_pass>();
            co_await on.ready();
            while (!of->over) co_await on.tasks().fetch_shelved(of);
        };
        // It ends in the middle of that, each time somewhere else.
        boost::asio::co_spawn(there.executor(), fetch(there), boost::asio::detached);
        for (int i = 0; i < looks; ++i) ends.run(ends.app.find(*ids.begin()));
    }
    test_app last{d.eager()};
    errand::test::eventually([&] {
        fetch_all(last);
        return d.on_shelf() == 0;
    });
    test_app blind{d.plain};
    std::size_t in_store = 0;
    for (const auto& id : ids) in_store += blind.run(blind.app.find(id)).has_value() ? 1 : 0;
    CHECK(in_store == ids.size());
}

TEST_CASE(
    "who brings a task for somebody is not failed by what cannot be forgotten yet, and forgets it later",
    "[shelf]") {
    shelf_desk d;
    const auto first = d.far<receipt>(std::int64_t{1});
    const auto second = d.far<receipt>(std::int64_t{2});
    by_hand quick{d, {.forgets_after = 0s}};
    quick.seen.forgets = false;
    CHECK(quick.cancel(first.id()));
    CHECK(quick.cancel(second.id()));
    CHECK(d.t.info(first).state == state::cancelled);
    CHECK(d.t.info(second).state == state::cancelled);
    CHECK(quick.seen.forgotten == 0);
    quick.seen.forgets = true;
    CHECK(errand::test::run_until(quick.io, [&] { return quick.seen.forgotten == 2; }));
}

TEST_CASE("who brings a task, for somebody or because it is due, does not wait until others are forgotten",
          "[shelf]") {
    shelf_desk d;
    const auto first = d.far<receipt>(std::int64_t{1});
    const auto second = d.far<receipt>(std::int64_t{2});
    d.far<receipt>(std::int64_t{3});
    by_hand quick{d, {.forgets_after = 0s}};
    boost::asio::steady_timer answers{quick.io, boost::asio::steady_timer::time_point::max()};
    quick.seen.answers_then = &answers;
    CHECK(quick.cancel(first.id()));
    CHECK(errand::test::run_until(quick.io, [&] { return quick.seen.forgets_begun == 1; }));
    CHECK(quick.cancel(second.id()));
    CHECK(quick.fetch() == "accepted");
    CHECK(d.on_shelf() == 0);
    CHECK(quick.seen.forgets_begun == 1);
    CHECK(quick.seen.forgotten == 0);
    quick.seen.answers_then = nullptr;
    answers.cancel();
    CHECK(errand::test::run_until(quick.io, [&] { return quick.seen.forgotten == 3; }));
}

TEST_CASE(
    "each shard is told of its own that it may forget, and one that does not answer keeps no other from it",
    "[shelf][in_shards]") {
    using errand::on_conflict;
    shelf_desk d{errand::test::fresh_database_url(), errand::test::settings_in_shards(2)};
    std::array<std::size_t, 2> count{};
    for (int number = 0; number < 20 || count[0] == 0 || count[1] == 0; ++number) {
        const auto id = errand::derive_task_id("apart", std::to_string(number));
        ++count.at(errand::shards::shard_of(id, 2));
        CHECK(submit(d.t, item_under(id, on_conflict::keep, 5 * 24h)) == errand::submit_verdict::accepted);
    }
    by_hand quick{d, {.forgets_after = 0s}};
    boost::asio::steady_timer answers{quick.io, boost::asio::steady_timer::time_point::max()};
    quick.seen.answers_then = &answers;
    quick.seen.only_in = 0;
    CHECK(quick.fetch() == "accepted");
    CHECK(errand::test::run_until(quick.io, [&] { return quick.seen.forgotten == count[1]; }));
    quick.seen.answers_then = nullptr;
    answers.cancel();
    CHECK(errand::test::run_until(quick.io, [&] { return quick.seen.forgotten == count[0] + count[1]; }));
    CHECK(quick.seen.of_several_shards == 0);
}
