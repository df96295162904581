// What an app tells of what happens in it.
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::event;
using errand::event_kind;
using errand::state;
using errand::test::eventually;

namespace {

// Outlives the app that it listens to.
class heard_events {
public:
    void listen(errand::app& to) {
        to.on_event([this](const event& what) {
            const std::lock_guard lock{guard_};
            all_.push_back(what);
        });
    }
    std::vector<event> of(event_kind kind) const {
        const std::lock_guard lock{guard_};
        std::vector<event> some;
        std::ranges::copy_if(all_, std::back_inserter(some),
                             [&](const event& one) { return one.kind == kind; });
        return some;
    }
    bool has(event_kind kind) const { return !of(kind).empty(); }
    event only(event_kind kind) const {
        const auto some = of(kind);
        INFO(to_string(kind));
        REQUIRE(some.size() == 1);
        return some.front();
    }

private:
    mutable std::mutex guard_;
    std::vector<event> all_;
};

// Of the one attempt that runs, and not as one that was given back.
void check_withdrawn(const heard_events& heard, event_kind kind, const std::string& id) {
    const auto said = heard.only(kind);
    CHECK(said.task == id);
    CHECK(said.handler == "worker_test::lingers");
    CHECK(said.attempt == 1);
    CHECK_FALSE(heard.has(event_kind::task_given_back));
}

}  // namespace

TEST_CASE("a listener hears the life of a task, with its queue, handler, attempt and times") {
    heard_events heard;
    bench t;
    heard.listen(t.app);
    const auto before = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) - 1h;
    auto h = t.run(t.app.handler<echo>().with({.delay = 300ms}).perform_async(5));
    t.start();
    CHECK(t.wait(h) == 5);
    eventually([&] { return heard.has(event_kind::report_accepted); });
    const auto info = t.info(h);
    using enum event_kind;
    for (const auto kind : {task_submitted, task_claimed, task_started, task_succeeded, report_accepted}) {
        INFO(to_string(kind));
        const auto one = heard.only(kind);
        CHECK(one.task == h.id());
        CHECK(one.handler == "worker_test::echo");
        CHECK(one.queue == "default");
        if (kind == report_accepted) continue;
        REQUIRE(one.submitted_at);
        CHECK(*one.submitted_at > before);
        CHECK(one.due_at == *one.submitted_at + 300ms);
    }
    CHECK(heard.only(task_claimed).attempt == 0);
    CHECK(heard.only(task_started).attempt == 1);
    CHECK(heard.only(task_started).started_at == info.started_at);
    CHECK_FALSE(heard.only(task_started).ended_at);
    CHECK(heard.only(task_succeeded).started_at == info.started_at);
    REQUIRE(heard.only(task_succeeded).ended_at);
    CHECK(*heard.only(task_succeeded).ended_at >= *info.started_at);
    CHECK(heard.has(worker_started));
}

TEST_CASE("a listener hears of failures with their text, and of the delay before the next attempt") {
    heard_events heard;
    bench t;
    heard.listen(t.app);
    t.book.body = [](errand::task_context& self) -> errand::awaitable<int> {
        if (self.attempt() == 1) throw std::runtime_error{"not yet"};
        if (self.attempt() == 2) throw errand::discard{"never"};
        co_return 1;
    };
    t.start();
    const auto h = submit(t);
    CHECK(end_of(t, h).state == state::dead);
    const auto failed = heard.only(event_kind::task_retrying);
    CHECK_THAT(failed.text, ContainsSubstring("not yet"));
    CHECK(failed.attempt == 1);
    CHECK(failed.after == 1ms);
    const auto dead = heard.only(event_kind::task_dead);
    CHECK_THAT(dead.text, ContainsSubstring("never"));
    CHECK(dead.attempt == 2);
}

TEST_CASE("a submission that meets its biz_id's holder, or is refused by it, is told as such") {
    heard_events heard;
    bench t;
    heard.listen(t.app);
    const auto submit_one = [&](errand::duplicate_rule rule) {
        const errand::options extra{.biz_id = "b-1", .on_duplicate = rule};
        return t.run(t.app.handler<echo>().with(extra).perform_async(5));
    };
    const auto h = submit_one(errand::keep_first);
    submit_one(errand::keep_first);
    CHECK_THROWS_AS(submit_one(errand::reject), errand::duplicate_task);
    CHECK(heard.only(event_kind::task_submitted).task == h.id());
    CHECK(heard.only(event_kind::task_duplicate).task == h.id());
    CHECK_THAT(heard.only(event_kind::submission_refused).text, ContainsSubstring("b-1"));
    t.run(t.app.handler<echo>().perform_bulk(std::vector<int>{1, 2, 3}));
    CHECK(heard.of(event_kind::task_submitted).size() == 4);
    t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> {
        co_await t.app.handler<echo>().perform_async(4);
    }));
    CHECK(heard.of(event_kind::task_submitted).size() == 5);
}

TEST_CASE("a listener hears of each task of a plan by its own handler, queue and times") {
    heard_events heard;
    bench t;
    heard.listen(t.app);
    const auto echoes = t.app.handler<echo>();
    const errand::options slow{.queue = "slow", .delay = 1h};
    t.run(errand::chain(echoes.with(slow).plan(6), echoes.plan()).submit());
    const auto said = heard.of(event_kind::task_submitted);
    REQUIRE(said.size() == 2);
    for (const auto& one : said) {
        CHECK(one.handler == "worker_test::echo");
        CHECK(one.submitted_at);
    }
    CHECK(std::ranges::count(said, "slow", &event::queue) == 1);
    CHECK(std::ranges::count(said, "default", &event::queue) == 1);
    const auto first = std::ranges::find(said, "slow", &event::queue);
    REQUIRE(first != said.end());
    CHECK(first->due_at == *first->submitted_at + 1h);
}

TEST_CASE("a task that is cancelled while it runs is told as cancelled, and not as given back") {
    heard_events heard;
    bench t;
    heard.listen(t.app);
    t.start();
    auto h = t.run(t.app.handler<lingers>().perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    CHECK(t.run(h.cancel()));
    eventually([&] { return t.book.stopped == 1 && heard.has(event_kind::task_cancelled); });
    check_withdrawn(heard, event_kind::task_cancelled, h.id());
    CHECK_FALSE(heard.has(event_kind::lease_lost));
}

TEST_CASE("an attempt is told that its lease is lost") {
    // Who holds what on a SQLite file is in the same transaction as all else: nothing but a machine that stood still loses it.
    if (errand::test::kind_of_tests() != errand::test::store_kind::redis) return;
    heard_events heard;
    auto settings = errand::test::fresh_settings();
    settings.lease = 2s;
    bench t{settings};
    heard.listen(t.app);
    t.start();
    auto h = t.run(t.app.handler<lingers>().perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    for (std::size_t at = 0; at < settings.shards; ++at)
        errand::test::shared_redis().command({"DEL", errand::test::shard_key(settings, "leases", at)});
    eventually([&] { return t.book.stopped == 1 && heard.has(event_kind::lease_lost); });
    check_withdrawn(heard, event_kind::lease_lost, h.id());
}

TEST_CASE("a listener that throws disturbs nothing, and the others hear all") {
    heard_events heard;
    bench t;
    t.app.on_event([](const event&) { throw std::runtime_error{"no"}; });
    heard.listen(t.app);
    t.start();
    CHECK(t.wait(t.run(t.app.handler<echo>().perform_async(5))) == 5);
    CHECK(heard.has(event_kind::task_started));
    CHECK_THROWS_AS(t.app.on_event({}), errand::usage_error);
}
