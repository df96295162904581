// Batches over several servers, one of which is away.
#include "runtime/submissions.hpp"
#include "support/away_shard.hpp"

#include <boost/asio/co_spawn.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace std::chrono_literals;
using namespace away_test;
using errand::test::await;
using errand::test::run_until;

TEST_CASE("batches over several servers one of which is away are told in time, those behind others as well",
          "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    errand::submissions lines{t.io.get_executor(), *t.worker.of, 500ms};
    const auto batch = [&] {
        std::vector<errand::submission_item> items;
        for (std::size_t shard = 0; shard < 2; ++shard)
            items.push_back(errand::test::item_with(t.id_on(shard), "x"));
        return items;
    };
    t.other.freeze();
    std::vector<std::string> failures;
    std::vector<errand::task_id> ids;
    for (int i = 0; i < 5; ++i) {
        auto items = batch();
        for (const auto& one : items) ids.push_back(one.id);
        boost::asio::co_spawn(t.io, lines.submit_group(std::move(items), errand::submit_mode::all_or_nothing),
                              [&](const std::exception_ptr&, const errand::submitter::group_answer& got) {
                                  try {
                                      if (!got.failures.empty()) std::rethrow_exception(got.failures.at(1));
                                  } catch (const errand::store_error& e) {
                                      failures.emplace_back(e.what());
                                  }
                              });
    }
    REQUIRE(run_until(t.io, [&] { return failures.size() == 5; }));
    CHECK(std::ranges::count_if(failures, [](const std::string& text) {
              return text.ends_with("it may have been done");
          }) == 1);
    CHECK(std::ranges::count_if(failures, [](const std::string& text) {
              return text.ends_with("it was not done");
          }) == 4);
    // What had been sent goes on, and what comes after it.
    t.other.thaw();
    const auto found = [&](std::size_t at) { return await(t.io, t.worker.of->find(ids[at])).has_value(); };
    REQUIRE(run_until(t.io, [&] { return found(0) && found(1); }));
    for (std::size_t at = 2; at < ids.size(); ++at) CHECK_FALSE(found(at));
    const auto next = await(t.io, lines.submit_group(batch(), errand::submit_mode::all_or_nothing));
    CHECK(next.failures.empty());
}

TEST_CASE("batches over servers that are there go on beside one that waits for another", "[shards]") {
    store_desk t{3};
    await(t.io, t.worker.of->open());
    // As a worker's, which waits for as long as it takes.
    errand::submissions lines{t.io.get_executor(), *t.worker.of, std::nullopt};
    int answered = 0;
    const auto send = [&](std::size_t one, std::size_t other) {
        std::vector<errand::submission_item> items{errand::test::item_with(t.id_on(one), "x"),
                                                   errand::test::item_with(t.id_on(other), "x")};
        boost::asio::co_spawn(t.io, lines.submit_group(std::move(items), errand::submit_mode::all_or_nothing),
                              [&](const std::exception_ptr& why, const errand::submitter::group_answer& got) {
                                  if (!why && got.failures.empty()) ++answered;
                              });
    };
    t.other.freeze();
    send(away_shard, 2);
    send(0, away_shard);
    for (int i = 1; i <= 5; ++i) {
        send(0, 2);
        REQUIRE(run_until(t.io, [&] { return answered == i; }));
    }
    t.other.thaw();
    CHECK(run_until(t.io, [&] { return answered == 7; }));
}

TEST_CASE("while too much waits for one server, the tasks of a batch that others keep are stored and say so",
          "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    errand::submissions lines{t.io.get_executor(), *t.worker.of, std::nullopt};
    t.other.freeze();
    int ended = 0;
    const auto submit = [&](errand::submission_item item) {
        boost::asio::co_spawn(t.io, lines.submit(std::move(item)),
                              [&](const std::exception_ptr&, const errand::submit_answer&) { ++ended; });
        t.io.restart();
        t.io.poll();
    };
    submit(errand::test::item_with(t.id_on(away_shard), "under way"));
    auto large = errand::test::item_with(t.id_on(away_shard), "large");
    large.body.assign(std::size_t{256} * 1024 * 1024, 'x');
    submit(std::move(large));
    const std::vector items{errand::test::item_with(t.id_on(away_shard), "x"),
                            errand::test::item_with(t.id_on(0), "x")};
    const auto got = await(t.io, lines.submit_group(items, errand::submit_mode::each));
    REQUIRE(got.failures.size() == 2);
    CHECK_THROWS_WITH(std::rethrow_exception(got.failures[0]),
                      Catch::Matchers::ContainsSubstring("wait for the store already"));
    CHECK_FALSE(got.failures[1]);
    CHECK(got.answers.at(1).verdict == errand::submit_verdict::accepted);
    CHECK(await(t.io, t.worker.of->find(items[1].id)));
    t.worker.of->close();
    CHECK(run_until(t.io, [&] { return ended == 2; }));
}
