// Settings in a SQLite file that another process changes as well: here a connection of its own.
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("who uses a file hears of settings that another process has changed there, and of nothing else") {
    store_fixture here{std::make_unique<sqlite_backing>(false)};
    auto worker = here.join("worker");
    auto client = here.join("client");
    const auto as_another = [&](const std::string& statement) {
        static_cast<sqlite_backing&>(*here.behind).ask(statement);
    };
    CHECK_FALSE(client->any_settings());
    here.claim(worker, 1);  // it waits for tasks
    as_another("INSERT INTO errand_settings SELECT k, x'68', zeroblob(24) FROM errand_name_space");
    as_another("UPDATE errand_name_space SET settings = 7");
    // Nobody of this process makes a call.
    CHECK(here.until([&] { return worker.ear->settings == 1 && client.ear->settings == 1; }));
    const auto all = await(here.io, client->settings());
    REQUIRE(all.at(0));
    CHECK(all.at(0)->size() == 1);
    as_another("UPDATE errand_name_space SET layout = layout + 1");
    here.queue_of(client);
    CHECK(client.ear->settings == 1);
    CHECK(here.join("late")->any_settings());
}
