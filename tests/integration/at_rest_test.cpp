// What is on the disk when tasks are encrypted: the bytes of Redis's append-only file, of its dump and of SQLite's files.
#include "support/places.hpp"
#include "support/redis_server.hpp"
#include "support/sqlite_backing.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

using namespace std::chrono_literals;
using errand::test::eventually;

namespace at_rest {

const std::string secret = "anna@example.org";

// Says what it was told in every place in which something is kept, fails once, and is done.
struct confides {
    errand::awaitable<std::string> perform(std::string to) {
        auto& self = co_await errand::this_task();
        self.log().info("writes to {}", to);
        co_await self.progress(0.5, "half of " + to);
        const auto kept = co_await self.stage("look up", [&]() -> errand::awaitable<std::string> {
            co_return "address of " + to;
        });
        if (self.attempt() == 1) throw std::runtime_error{"no route to " + to};
        co_return kept;
    }
};

struct confides_never {
    errand::awaitable<void> perform(std::string to) { throw errand::discard{"nobody is " + to}; }
};

}  // namespace at_rest

ERRAND_HANDLER(at_rest::confides, .queue = "at-rest",
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))
ERRAND_HANDLER(at_rest::confides_never, .queue = "at-rest")

namespace {

using namespace at_rest;

std::string bytes_below(const std::filesystem::path& folder, const std::string& beginning = {}) {
    std::string all;
    for (const auto& one : std::filesystem::recursive_directory_iterator{folder}) {
        if (!one.is_regular_file() || !one.path().filename().string().starts_with(beginning)) continue;
        std::ifstream in{one.path(), std::ios::binary};
        all.append(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
    }
    return all;
}

// Tasks in all states, with all that is kept of them.
void fill(errand::config settings) {
    errand::test::test_app t{std::move(settings)};
    t.run(t.app.handler<confides>().with({.delay = 1h}).perform_async(secret));
    const auto hourly = t.run(t.app.handler<confides>().every(1h, {.key = "hourly"}, secret));
    CHECK(t.run(hourly.info()).args == boost::json::array{secret});
    const auto dead = t.run(t.app.handler<confides_never>().perform_async(secret));
    const auto done = t.run(t.app.handler<confides>().perform_async(secret));
    t.start();
    CHECK(t.wait(done) == "address of " + secret);
    eventually([&] { return t.info(dead).state == errand::state::dead; });
    const auto seen = t.info(done);
    CHECK(seen.encrypted_with == "k1");
    CHECK_FALSE(seen.unreadable);
    CHECK(seen.args == boost::json::array{secret});
    CHECK(seen.progress_text == "half of " + secret);
    REQUIRE(seen.errors.size() == 1);
    CHECK(seen.errors[0].message == "no route to " + secret);
    REQUIRE(seen.stages.size() == 1);
    CHECK(seen.stages[0].result == boost::json::value("address of " + secret));
    CHECK(seen.log.size() == 2);
    t.stop();
}

errand::config keyed(errand::config settings, bool encrypts) {
    settings.log_level = "off";
    settings.queues = {{"at-rest", 1}};
    settings.encryption_keys = encrypts ? "k1:" + std::string(64, '1') : std::string{};
    return settings;
}

}  // namespace

TEST_CASE("nothing of what tasks carry is in Redis's files when it is encrypted") {
    const errand::test::redis_server server{{.append_only = true, .arguments = {"--rdbcompression", "no"}}};
    errand::config settings;
    settings.store = server.url();
    fill(keyed(settings, true));
    server.command({"SAVE"});
    const auto kept = bytes_below(server.folder());
    CHECK(kept.find("errand.sealed.1:k1:") != kept.npos);
    CHECK(kept.find("confides") != kept.npos);
    CHECK(kept.find(secret) == kept.npos);
    CHECK(kept.find("example.org") == kept.npos);
}

TEST_CASE("nothing of what tasks carry is in SQLite's files when it is encrypted") {
    errand::config settings;
    const auto file = errand::test::fresh_database();
    settings.store = "sqlite://" + file;
    fill(keyed(settings, true));
    const std::filesystem::path path{file};
    const auto kept = bytes_below(path.parent_path(), path.filename().string());
    CHECK(kept.find("errand.sealed.1:k1:") != kept.npos);
    CHECK(kept.find("confides") != kept.npos);
    CHECK(kept.find(secret) == kept.npos);
}

// So that what the two above look for could be found.
TEST_CASE("what tasks carry is to be read in a file when it is not encrypted") {
    const auto file = errand::test::fresh_database();
    {
        auto settings = keyed({}, false);
        settings.store = "sqlite://" + file;
        errand::test::test_app t{std::move(settings)};
        t.run(t.app.handler<confides>().perform_async(secret));
    }
    const std::filesystem::path path{file};
    CHECK(bytes_below(path.parent_path(), path.filename().string()).find(secret) != std::string::npos);
}
