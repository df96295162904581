// The ACL of docs/security.md, as it stands there, is enough for all that errand does, and is no wider than it says.
#include "cli/office.hpp"
#include "support/redis_server.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace acl_test {

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::state;

// The words of the command that the page shows.
std::vector<std::string> words_of_page() {
    std::ifstream in{std::string{ERRAND_TESTS_DIR} + "/../docs/security.md"};
    std::string all{std::istreambuf_iterator<char>{in}, {}};
    const auto from = all.find("\nACL SETUSER ");
    REQUIRE(from != all.npos);
    std::istringstream words{all.substr(from, all.find("```", from) - from)};
    return {std::istream_iterator<std::string>{words}, {}};
}

errand::config settings_on(const errand::test::redis_server& server) {
    auto settings = errand::test::fresh_settings();
    settings.store = "redis+unix://shop:PASSWORD@" + server.socket_path();
    settings.name_space = "shop";
    settings.shards = 1;
    return settings;
}

void live(cli_test::office& t) {
    const auto chores = t.app.handler<cli_test::chore>();
    t.let_die(2);
    CHECK(t.answer({"revive", "--all", "--yes"}).at("changed") == 2);
    t.all_are(state::success, 2);
    const auto first = t.submit(1);
    const auto second = t.submit(2, {.priority = 3, .after = {first}});
    CHECK(t.wait(second) == 4);
    const auto later = t.submit(3, {.delay = 1h});
    CHECK(t.errand({"reschedule", later.id(), "--in", "2h"}).code == 0);
    CHECK(t.errand({"change", later.id(), "--args", "[5]"}).code == 0);
    CHECK(t.errand({"retry", later.id()}).code == 0);
    CHECK(t.wait(later) == 10);
    const auto unwanted = t.submit(4, {.delay = 1h});
    CHECK(t.errand({"cancel", unwanted.id()}).code == 0);
    CHECK(t.errand({"delete", unwanted.id()}).code == 0);
    cli_test::blocked = true;
    const auto running = t.submit(6);
    t.all_are(state::working, 1);
    CHECK(t.errand({"cancel", running.id()}).code == 0);
    cli_test::blocked = false;
    t.run(chores.every(1h, {}, 7));
    CHECK(t.answer({"schedules"}).at("schedules").as_array().size() == 1);
    CHECK(t.errand({"quota", "set", "max_queued=1000", "submit_rate=100/s"}).code == 0);
    CHECK(t.wait(t.submit(8)) == 16);
    CHECK(t.errand({"quota", "clear"}).code == 0);
    CHECK(t.errand({"configure", "chore", "max_retry=2"}).code == 0);
    CHECK(t.errand({"pause", "chores"}).code == 0);
    CHECK(t.errand({"resume", "chores"}).code == 0);
    CHECK(t.errand({"perform", "chore", "[9]", "--queue", "chores", "--wait", "60s"}).code == 0);
    for (const std::vector<std::string>& look : {std::vector<std::string>{"queues"},
                                                 {"workers", "--tasks"},
                                                 {"list", "success"},
                                                 {"show", first.id()},
                                                 {"graph", first.id()},
                                                 {"history"},
                                                 {"figures"},
                                                 {"handlers"},
                                                 {"limits"},
                                                 {"quota"},
                                                 {"top", "--once"},
                                                 {"doctor"},
                                                 {"doctor", "--repair"},
                                                 {"doctor", "--upgrade"}}) {
        const auto said = t.errand(look);
        INFO(look.front() << ": " << said.out << said.err);
        CHECK(said.code == 0);
    }
}

}  // namespace acl_test

TEST_CASE(
    "a Redis user with the ACL of the page on security can do all that errand does, and nothing is refused",
    "[cli]") {
    const errand::test::redis_server server;
    CHECK(server.command(acl_test::words_of_page()) == "OK");
    {
        cli_test::office t{acl_test::settings_on(server)};
        acl_test::live(t);
        t.stop();
    }
    CHECK(server.command({"ACL", "LOG"}).empty());
    std::istringstream keys{server.command({"KEYS", "*"})};
    std::size_t count = 0;
    for (std::string key; std::getline(keys, key); ++count) CHECK(key.starts_with("errand:{shop.0}:"));
    CHECK(count > 10);
}

TEST_CASE("a Redis user with the ACL of the page on security has no other keys, channels and commands",
          "[cli]") {
    const errand::test::redis_server server;
    CHECK(server.command(acl_test::words_of_page()) == "OK");
    auto settings = acl_test::settings_on(server);
    settings.name_space = "shop.eu";
    settings.store_timeout = std::chrono::seconds{2};
    errand::test::test_app other{settings};
    CHECK_THROWS_AS(other.run(other.app.inspect().queues()), errand::store_error);
    const auto refused = server.command({"ACL", "LOG"});
    CHECK_THAT(refused, Catch::Matchers::ContainsSubstring("shop"));
    for (const std::vector<std::string>& words : {std::vector<std::string>{"KEYS", "*"},
                                                  {"FLUSHALL"},
                                                  {"CONFIG", "GET", "maxmemory"},
                                                  {"SCRIPT", "FLUSH"},
                                                  {"SCAN", "0"},
                                                  {"DEBUG", "SLEEP", "0"},
                                                  {"HGET", "errand:{shop.eu.0}:control", "format"}}) {
        INFO(words.front());
        auto tried = words;
        tried.insert(tried.begin(), {"ACL", "DRYRUN", "shop"});
        CHECK_THAT(server.command(tried), Catch::Matchers::ContainsSubstring("no permissions"));
    }
    CHECK(server.command({"ACL", "DRYRUN", "shop", "HGET", "errand:{shop.0}:control", "format"}) == "OK");
}
