// Connections that end: said as store_error, and the session is not usable any more.
#include <errand/error.hpp>

#include "support/driver_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Starts a statement and leaves it running.
struct running {
    bool done = false;
    std::exception_ptr thrown;

    running(driver_fixture& here, sql::session& on, const std::string& statement) {
        boost::asio::co_spawn(here.io, on.run(statement, {}),
                              [this](std::exception_ptr failed, const sql::result&) {
                                  done = true;
                                  thrown = failed;
                              });
    }
};

std::string words_of(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const store_error& e) {
        return e.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("a session that the server ended while it was idle") {
    driver_fixture here;
    const auto session = here.open();
    const auto other = here.open();
    here.end(other, here.id_of(session));
    CHECK_THROWS_AS(here.run(session, "SELECT 1"), store_error);
    CHECK_FALSE(session->usable());
    CHECK_THROWS_AS(here.run(session, "SELECT 1"), store_error);
    CHECK(here.ask(other, "SELECT 1") == sql::value{std::int64_t{1}});
}

TEST_CASE("an idle session that was ended is seen without asking the server", "[only_postgres]") {
    driver_fixture here;
    const auto session = here.open();
    const auto other = here.open();
    CHECK(session->usable());
    here.end(other, here.id_of(session));
    CHECK(run_until(here.io, [&] { return !session->usable(); }));
}

TEST_CASE("a statement that was under way when the connection ended may have happened") {
    driver_fixture here;
    const auto session = here.open();
    const auto other = here.open();
    const auto id = here.id_of(session);
    running slow{here, *session, here.on("SELECT pg_sleep(60)", "SELECT sleep(60)")};
    run_until(here.io, [&] { return slow.done; }, std::chrono::milliseconds{100});
    CHECK_FALSE(slow.done);
    here.end(other, id);
    REQUIRE(run_until(here.io, [&] { return slow.done; }));
    CHECK_THAT(words_of(slow.thrown), ContainsSubstring("may have happened") && ContainsSubstring("sleep") &&
                                          ContainsSubstring(here.name));
    CHECK_FALSE(session->usable());
}

TEST_CASE(
    "a server that is killed, and one that stops, is missed by its sessions and found again by new ones") {
    driver_fixture here;
    here.run(here.open(), "CREATE TABLE made(x int)");
    const bool in_order = GENERATE(false, true);
    const auto session = here.open();
    const auto idle = here.open();
    running slow{here, *session, here.on("SELECT pg_sleep(60)", "SELECT sleep(60)")};
    run_until(here.io, [&] { return slow.done; }, std::chrono::milliseconds{50});
    if (in_order) {
        here.server.stop();
    } else {
        here.server.kill();
    }
    REQUIRE(run_until(here.io, [&] { return slow.done; }));
    CHECK_THAT(words_of(slow.thrown), ContainsSubstring("may have happened"));
    CHECK_THROWS_AS(here.run(idle, "INSERT INTO made VALUES (1)"), store_error);
    CHECK_FALSE(idle->usable());
    CHECK_THROWS_AS(here.open(), store_error);
    here.server.restart();
    CHECK(here.ask(here.open(), "SELECT count(*) FROM made") == sql::value{std::int64_t{0}});
}

TEST_CASE("a server that does not answer is given up in time") {
    driver_fixture here;
    const auto url = here.server.url(here.name) + "&connect_timeout=1";
    here.server.freeze();
    const auto before = std::chrono::steady_clock::now();
    try {
        here.open(url);
        FAIL("connected");
    } catch (const store_error& e) {
        CHECK_THAT(e.what(), ContainsSubstring("no answer in time"));
    }
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds{15});
    here.server.thaw();
    CHECK(here.ask(here.open(), "SELECT 1") == sql::value{std::int64_t{1}});
}
