// A thousand transactions at once, their bodies interleaved on one thread and on four: no task gets into another's.
#include "handlers.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <future>
#include <random>
#include <set>
#include <stdexcept>

using namespace boost::asio::experimental::awaitable_operators;
using namespace committed;
using errand::test::eventually;
using errand::test::sql;
using errand::test::test_app;
using errand::test::test_database;
namespace asio = boost::asio;

namespace {

constexpr int transactions = 1000;

struct rolled_back {};

// What one transaction does, decided beforehand.
struct script {
    int id = 0;
    bool fails = false;
    bool inner_fails = false;
    int hops = 0;
};

std::vector<script> scripts() {
    std::mt19937 chance{7};
    std::vector<script> all;
    for (int id = 0; id < transactions; ++id)
        all.push_back({id, chance() % 3 == 0, chance() % 3 == 0, static_cast<int>(chance() % 4)});
    return all;
}

errand::awaitable<void> hop(int times) {
    for (; times > 0; --times) co_await asio::post(asio::use_awaitable);
}

// Task number id * 10 + place; a tenth of them by a function that knows nothing of the transaction.
errand::awaitable<void> perform(errand::app& app, int id, int place) {
    co_await hop(place);
    co_await app.handler<receipt>().perform_async(id * 10 + place);
}

errand::awaitable<void> body(errand::app& app, errand::database& db, script of,
                             errand::database_transaction& tx) {
    co_await hop(of.hops);
    co_await perform(app, of.id, 1);
    co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), of.id);
    co_await (perform(app, of.id, 2) && perform(app, of.id, 3));
    try {
        co_await errand::transaction(db, [&](auto& inner) -> errand::awaitable<void> {
            co_await perform(app, of.id, 4);
            co_await inner.execute(sql("INSERT INTO note(id) VALUES(?)"), transactions + of.id);
            if (of.inner_fails) throw rolled_back{};
        });
    } catch (const rolled_back&) {
    }
    co_await asio::co_spawn(co_await asio::this_coro::executor, perform(app, of.id, 5), asio::use_awaitable);
    if (of.fails) throw rolled_back{};
}

errand::awaitable<void> one(errand::app& app, errand::database& db, script of) {
    try {
        co_await errand::transaction(db, [&](auto& tx) { return body(app, db, of, tx); });
    } catch (const rolled_back&) {
    }
    // Outside of it nothing is held back.
    if (of.id % 100 == 0) co_await app.handler<receipt>().perform_async(of.id * 10 + 9);
}

std::set<std::int64_t> expected_tasks(const std::vector<script>& all) {
    std::set<std::int64_t> tasks;
    for (const auto& of : all) {
        if (of.id % 100 == 0) tasks.insert(of.id * 10 + 9);
        if (of.fails) continue;
        for (const int place : {1, 2, 3, 5}) tasks.insert(of.id * 10 + place);
        if (!of.inner_fails) tasks.insert(of.id * 10 + 4);
    }
    return tasks;
}

std::set<std::int64_t> submitted_tasks(test_app& t) {
    std::set<std::int64_t> tasks;
    std::string after;
    do {
        auto page =
            t.run(t.app.inspect().list({.state = errand::state::ready, .queue = "receipts"}, after, 1000));
        for (const auto& task : page.tasks) {
            const auto number = task.args.at(0).to_number<std::int64_t>();
            CHECK(tasks.insert(number).second);
        }
        after = page.next;
    } while (!after.empty());
    return tasks;
}

}  // namespace

TEST_CASE("Of a thousand interleaved transactions each has its own tasks and rows",
          "[interleaving][concurrent]") {
    const auto threads = GENERATE(std::size_t{1}, std::size_t{4});
    CAPTURE(threads);
    test_app t;
    t.app.provide<place>();
    test_database db{t.app, {.wait = std::chrono::minutes{2}, .busy_wait = std::chrono::minutes{2}}};
    const auto all = scripts();
    {
        asio::thread_pool pool{threads};
        std::vector<std::future<void>> ends;
        for (const auto& of : all)
            ends.push_back(asio::co_spawn(pool.get_executor(), one(t.app, *db, of), asio::use_future));
        for (auto& end : ends) end.get();
        pool.join();
    }
    eventually([&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0; });
    CHECK(submitted_tasks(t) == expected_tasks(all));
    std::set<std::int64_t> rows, wanted;
    for (const auto id : t.run(db->query<std::int64_t>("SELECT id FROM note"))) rows.insert(id);
    for (const auto& of : all) {
        if (of.fails) continue;
        wanted.insert(of.id);
        if (!of.inner_fails) wanted.insert(transactions + of.id);
    }
    CHECK(rows == wanted);
}
