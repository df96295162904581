// Sessions in each other's way.
#include <errand/error.hpp>

#include "support/driver_fixture.hpp"

using namespace errand;
using namespace errand::test;

namespace {

struct two_fixture : driver_fixture {
    session_ptr one = open();
    session_ptr other = open();
    session_ptr third = open();

    two_fixture() {
        run(third, std::string{"CREATE TABLE made(id int PRIMARY KEY, x int)"} + on("", " ENGINE=InnoDB"));
        run(third, "INSERT INTO made VALUES (1, 0), (2, 0)");
    }
};

struct update {
    bool done = false;
    std::exception_ptr thrown;

    update(two_fixture& here, sql::session& on, int id) {
        const auto statement = "UPDATE made SET x = x + 1 WHERE id = " + std::to_string(id);
        boost::asio::co_spawn(here.io, on.run(statement, {}),
                              [this](std::exception_ptr failed, const sql::result&) {
                                  done = true;
                                  thrown = failed;
                              });
    }
    bool failed_to_serialize() const {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const serialization_failure&) {
            return true;
        }
        return false;
    }
};

}  // namespace

TEST_CASE("of two that wait for each other one is told to begin again, and the other goes on") {
    two_fixture here;
    for (const auto* session : {&here.one, &here.other}) here.run(*session, "BEGIN");
    here.run(here.one, "UPDATE made SET x = 1 WHERE id = 1");
    here.run(here.other, "UPDATE made SET x = 1 WHERE id = 2");
    update first{here, *here.one, 2};
    run_until(here.io, [&] { return first.done; }, std::chrono::milliseconds{50});
    update second{here, *here.other, 1};
    REQUIRE(run_until(here.io, [&] { return first.thrown || second.thrown; }));
    const bool first_lost = first.thrown != nullptr;
    here.run(first_lost ? here.one : here.other, "ROLLBACK");
    REQUIRE(run_until(here.io, [&] { return first.done && second.done; }));
    CHECK(first.failed_to_serialize() != second.failed_to_serialize());
    CHECK((here.one->usable() && here.other->usable()));
    here.run(first_lost ? here.other : here.one, "COMMIT");
    CHECK(here.ask(here.third, "SELECT count(*) FROM made WHERE x = 0") == sql::value{std::int64_t{0}});
}

TEST_CASE("a row that changed since it was read", "[only_postgres]") {
    two_fixture here;
    here.run(here.one, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    here.run(here.one, "SELECT * FROM made");
    here.run(here.other, "UPDATE made SET x = 5 WHERE id = 1");
    CHECK_THROWS_AS(here.run(here.one, "UPDATE made SET x = 6 WHERE id = 1"), serialization_failure);
    // What failed can only be rolled back: a commit is no success.
    CHECK_THROWS_AS(here.run(here.one, "COMMIT"), database_error);
    CHECK(here.one->usable());
    CHECK(here.ask(here.one, "SELECT x FROM made WHERE id = 1") == sql::value{std::int64_t{5}});
}

TEST_CASE("a conflict that shows at the commit", "[only_postgres]") {
    two_fixture here;
    for (const auto* session : {&here.one, &here.other}) {
        here.run(*session, "BEGIN ISOLATION LEVEL SERIALIZABLE");
        here.run(*session, "SELECT sum(x) FROM made");
    }
    here.run(here.one, "INSERT INTO made VALUES (3, 1)");
    here.run(here.other, "INSERT INTO made VALUES (4, 1)");
    here.run(here.one, "COMMIT");
    CHECK_THROWS_AS(here.run(here.other, "COMMIT"), serialization_failure);
    CHECK(here.ask(here.other, "SELECT count(*) FROM made") == sql::value{std::int64_t{3}});
}

TEST_CASE("a lock that was waited for too long", "[only_mysql]") {
    two_fixture here;
    here.run(here.one, "BEGIN");
    here.run(here.one, "UPDATE made SET x = 1 WHERE id = 1");
    here.run(here.other, "SET innodb_lock_wait_timeout = 1");
    CHECK_THROWS_AS(here.run(here.other, "UPDATE made SET x = 2 WHERE id = 1"), serialization_failure);
    CHECK(here.other->usable());
}
