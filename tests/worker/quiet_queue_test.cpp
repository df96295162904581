// The names of queues in which nothing happens are forgotten: whoever goes on submitting says them again.
#include "support/await.hpp"
#include "support/clocked_server.hpp"
#include "support/shards.hpp"
#include "support/store_fixture.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using errand::test::await;

#ifdef ERRAND_TEST_CLOCK
// In a SQLite file a task has its queue's row.
TEST_CASE("a connection that submitted to a queue long ago names it anew", "[goes_away]") {
    const errand::test::clocked_server redis;
    const auto settings = redis.settings();
    boost::asio::io_context io{1};
    const auto in = errand::test::opened_store(io, settings, "submitter");
    const auto counts = errand::test::shard_key(settings, "counts");
    const auto is_named = [&] { return redis.server.command({"HEXISTS", counts, "q:customer"}) == "1"; };
    const auto submit = [&] {
        const std::vector items{errand::test::item_of("x", "customer")};
        await(io, in->submit(0, items, errand::submit_mode::each));
    };
    submit();
    REQUIRE(is_named());
    redis.server.command({"HDEL", counts, "q:customer"});
    submit();
    CHECK_FALSE(is_named());
    redis.set_ahead(11min);
    submit();  // and hears what time it is
    submit();
    CHECK(is_named());
    in->close();
    io.restart();
    io.run();
}
#endif
