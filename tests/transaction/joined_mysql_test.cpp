// A transaction that the user opened on an any_connection of Boost.MySQL.
#include "handlers.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/mysql/any_connection.hpp>
#include <boost/mysql/results.hpp>

#include <catch2/catch_test_macros.hpp>

using errand::awaitable;
using errand::test::eventually;
using errand::test::test_app;
using errand::test::test_database;
using namespace committed;
namespace mysql = boost::mysql;

namespace {

using receipt_handle = errand::handle<std::int64_t>;

awaitable<void> connect(mysql::any_connection& mine, const std::string& url) {
    mysql::connect_params to;
    const auto socket = url.find("?socket=");
    to.server_address = mysql::unix_path{url.substr(socket + 8)};
    const auto database = url.find('/', url.find("//") + 2) + 1;
    to.database = url.substr(database, socket - database);
    to.username = "root";
    co_await mine.async_connect(to, boost::asio::use_awaitable);
}

awaitable<void> exec(mysql::any_connection& mine, const char* statement) {
    mysql::results nothing;
    co_await mine.async_execute(statement, nothing, boost::asio::use_awaitable);
}

// Writes a note and performs through a connection of its own; commits or not.
awaitable<receipt_handle> order(test_app& t, test_database& db, bool commits) {
    mysql::any_connection mine{co_await boost::asio::this_coro::executor};
    co_await connect(mine, db.url());
    co_await exec(mine, "START TRANSACTION");
    co_await exec(mine, "INSERT INTO note(id, text) VALUES(1, 'mine')");
    auto joined = errand::mysql::adopt(static_cast<errand::mysql::database&>(*db), mine);
    auto held = co_await t.app.handler<receipt>().in(joined).perform_async(1);
    co_await joined.write();
    co_await exec(mine, commits ? "COMMIT" : "ROLLBACK");
    if (commits) {
        co_await joined.deliver();
    } else {
        joined.rollback();
    }
    co_return held;
}

}  // namespace

TEST_CASE("A joined transaction of an any_connection submits when its owner commits",
          "[joined][only_mysql]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    const auto held = t.run(order(t, db, true));
    CHECK(t.info(held).args == boost::json::array{1});
    CHECK(t.run(db->query<int>("SELECT count(*) FROM note")).at(0) == 1);
    eventually([&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0; });
}

TEST_CASE("A joined transaction of an any_connection that is rolled back submits nothing",
          "[joined][only_mysql]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    const auto held = t.run(order(t, db, false));
    CHECK_FALSE(t.run(t.app.find(held.id())));
    CHECK(t.run(db->query<int>("SELECT count(*) FROM note")).at(0) == 0);
    CHECK(t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0);
}
