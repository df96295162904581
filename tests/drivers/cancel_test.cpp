// A coroutine that is cancelled while its statement runs.
#include "support/driver_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstdlib>

using namespace errand;
using namespace errand::test;
namespace asio = boost::asio;

namespace {

struct cancelled_run {
    asio::cancellation_signal signal;
    bool done = false;
    boost::system::error_code code;

    cancelled_run(driver_fixture& here, sql::session& on, const std::string& statement) {
        asio::co_spawn(here.io, on.run(statement, {}),
                       asio::bind_cancellation_slot(signal.slot(),
                                                    [this](std::exception_ptr thrown, const sql::result&) {
                                                        done = true;
                                                        note(thrown);
                                                    }));
    }

    void note(std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const boost::system::system_error& e) {
            code = e.code();
        }
    }
};

}  // namespace

TEST_CASE("a cancelled statement ends at once, at the server too, and with it the session") {
    driver_fixture here;
    const auto session = here.open();
    const auto other = here.open();
    const auto id = std::to_string(here.id_of(session));
    cancelled_run slow{here, *session, here.on("SELECT pg_sleep(600)", "SELECT sleep(600)")};
    const auto runs = [&] {
        const auto running =
            here.run(other,
                     std::string{here.on("SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid = ",
                                         "SELECT 1 FROM information_schema.processlist WHERE command IN "
                                         "('Query', 'Execute') AND id = ")} +
                         id);
        return !running.rows.empty();
    };
    REQUIRE(run_until(here.io, runs));
    slow.signal.emit(asio::cancellation_type::all);
    REQUIRE(run_until(here.io, [&] { return slow.done; }));
    CHECK(slow.code == asio::error::operation_aborted);
    CHECK_FALSE(session->usable());
    CHECK(run_until(here.io, [&] { return !runs(); }));
}

TEST_CASE("what a cancelled transaction had done is undone with its session") {
    driver_fixture here;
    const auto other = here.open();
    here.run(other, "CREATE TABLE made(x int)");
    {
        const auto session = here.open();
        here.run(session, "BEGIN");
        here.run(session, "INSERT INTO made VALUES (1)");
        cancelled_run slow{here, *session, here.on("SELECT pg_sleep(600)", "SELECT sleep(600)")};
        run_until(here.io, [&] { return slow.done; }, std::chrono::milliseconds{50});
        slow.signal.emit(asio::cancellation_type::terminal);
        REQUIRE(run_until(here.io, [&] { return slow.done; }));
    }
    CHECK(here.ask(other, "SELECT count(*) FROM made") == sql::value{std::int64_t{0}});
    // Nobody holds a lock on it any more.
    here.run(other, "DROP TABLE made");
}

TEST_CASE("a session whose statement nobody waits for any more can be thrown away") {
    driver_fixture here;
    auto session = here.open();
    {
        boost::asio::io_context abandoned;
        auto lost = await(abandoned, driver_of(here.server.url(here.name))->connect(abandoned));
        boost::asio::co_spawn(
            abandoned,
            [](std::unique_ptr<sql::session> of, std::string statement) -> awaitable<void> {
                co_await of->run(std::move(statement), {});
            }(std::move(lost), here.on("SELECT pg_sleep(600)", "SELECT sleep(600)")),
            [](std::exception_ptr) {});
        abandoned.run_for(std::chrono::milliseconds{50});
    }
    CHECK(here.ask(session, "SELECT 1") == sql::value{std::int64_t{1}});
}

TEST_CASE("a program that cancels a statement on a frozen server ends all the same", "[only_postgres]") {
    const auto server = make_database_server("postgres");
    const auto pid = server->folder() / "data" / "postmaster.pid";
    const auto command = std::string{"timeout 30 " ERRAND_PROGRAMS_DIR "/leaver '"} + server->url() + "' '" +
                         pid.string() + "'";
    CHECK(std::system(command.c_str()) == 0);
    server->thaw();
}
