// The names of queues in which nothing happens are forgotten: whoever goes on submitting says them again.
#include "support/await.hpp"
#include "support/redis_server.hpp"
#include "support/shards.hpp"
#include "support/store_fixture.hpp"
#include "support/store_kind.hpp"
#include "trial/clock_file.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <unistd.h>

using namespace std::chrono_literals;
using errand::test::await;

#ifdef ERRAND_TEST_CLOCK
// In a SQLite file a task has its queue's row.
TEST_CASE("a connection that submitted to a queue long ago names it anew") {
    if (errand::test::kind_of_tests() != errand::test::store_kind::redis) return;
    const auto path =
        std::filesystem::temp_directory_path() / ("errand-quiet-clock-" + std::to_string(::getpid()));
    const trial::clock_file clock{path.string()};
    errand::test::redis_server::options how;
    for (const auto& [name, value] : clock.variables()) how.environment.push_back(name + "=" + value);
    const errand::test::redis_server server{how};
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    boost::asio::io_context io{1};
    const auto in = errand::test::opened_store(io, settings, "submitter");
    const auto counts = errand::test::shard_key(settings, "counts");
    const auto is_named = [&] { return server.command({"HEXISTS", counts, "q:customer"}) == "1"; };
    const auto submit = [&] {
        const std::vector items{errand::test::item_of("x", "customer")};
        await(io, in->submit(0, items, errand::submit_mode::each));
    };
    submit();
    REQUIRE(is_named());
    server.command({"HDEL", counts, "q:customer"});
    submit();
    CHECK_FALSE(is_named());
    clock.set(std::chrono::milliseconds{11min}.count());
    submit();  // and hears what time it is
    submit();
    CHECK(is_named());
    in->close();
    io.restart();
    io.run();
    std::filesystem::remove(path);
}
#endif
