// What the console keeps of days: whole ones, of so many queues.
#include "service/console/day_book.hpp"
#include "support/redis_server.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

using errand::console::day_book;
using errand::test::eventually;
using namespace std::chrono_literals;

namespace {

const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());

// What a shard has counted of the queue "parcels": so many until now, and until the end of so many days ago.
void put(errand::test::redis_server& in, const errand::config& settings, int shard, const std::string& key,
         const std::string& field, const std::string& value) {
    in.command({"HSET", "errand:{" + settings.name_space + '.' + std::to_string(shard) + "}:" + key, field,
                value});
}
void put_total(errand::test::redis_server& in, const errand::config& settings, int shard, int done) {
    put(in, settings, shard, "counts", "q:parcels", "parcels");
    put(in, settings, shard, "counts", "s:parcels", std::to_string(done));
}
void put_day(errand::test::redis_server& in, const errand::config& settings, int shard, int days_ago,
             int done) {
    put(in, settings, shard, "tallies", "d" + std::to_string(today.time_since_epoch().count() - days_ago),
        R"({"s:parcels":")" + std::to_string(done) + "\"}");
}

std::vector<std::int64_t> successes(const day_book::days& all) {
    std::vector<std::int64_t> counts;
    for (const auto& [day, sum] : all) counts.push_back(sum.success);
    return counts;
}
using counts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("while a server is away no day loses what it has counted, and none is kept without it",
          "[service][goes_away]") {
    errand::test::redis_server here;
    errand::test::redis_server other{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store = here.url() + ',' + other.url();
    settings.shards = 2;
    settings.store_timeout = 2s;
    errand::test::test_app t{settings};
    CHECK(t.run(t.app.inspect().history(1)).empty());
    int shard = 0;
    for (auto* in : {&here, &other}) {
        put_total(*in, settings, shard, 20);
        put_day(*in, settings, shard, 3, 5);
        put_day(*in, settings, shard, 1, 9);
        ++shard;
    }
    day_book book{t.app};
    const counts whole{10, 8, 22};
    CHECK(successes(t.run(book.of("parcels"))) == whole);

    other.kill();
    CHECK(successes(t.run(book.of("parcels"))) == whole);
    // What has not been read before is all that can be told, and is not kept.
    CHECK(successes(t.run(book.of(""))) == counts{5, 4, 11});
    CHECK(book.pages() == 1);
    put_total(here, settings, 0, 50);
    CHECK(successes(t.run(book.of("parcels"))) == counts{10, 8, 41});

    other.restart();
    eventually([&] { return t.run(t.app.inspect().away()).empty(); });
    CHECK(successes(t.run(book.of("parcels"))) == counts{10, 8, 52});
    CHECK(successes(t.run(book.of(""))) == counts{10, 8, 52});
}

TEST_CASE("of more queues than are kept the one that was asked for longest ago makes room",
          "[service][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    errand::test::test_app t{settings};
    CHECK(t.run(t.app.inspect().history(1)).empty());
    put_total(server, settings, 0, 20);
    put_day(server, settings, 0, 3, 5);
    put_day(server, settings, 0, 1, 9);
    day_book book{t.app};
    const auto ask_others = [&](const std::string& named, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) t.run(book.of(named + std::to_string(i)));
    };
    CHECK(successes(t.run(book.of("parcels"))) == counts{5, 4, 11});
    // What is over is read once: a change of it in the store shows when it is read anew, and today and yesterday always are.
    put_day(server, settings, 0, 3, 1);
    const counts known{5, 8, 11};
    ask_others("a", day_book::most_pages - 1);
    CHECK(book.pages() == day_book::most_pages);
    CHECK(successes(t.run(book.of("parcels"))) == known);
    ask_others("b", day_book::most_pages - 1);
    CHECK(book.pages() == day_book::most_pages);
    CHECK(successes(t.run(book.of("parcels"))) == known);
    ask_others("c", day_book::most_pages);
    CHECK(book.pages() == day_book::most_pages);
    CHECK(successes(t.run(book.of("parcels"))) == counts{1, 8, 11});
}
