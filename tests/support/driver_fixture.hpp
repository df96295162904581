// A new database of the kind that the tests run on (ERRAND_TEST_DATABASE), on the test program's private server, and sessions
// of errand's driver on it.
#pragma once

#include "sql/driver.hpp"
#include "support/await.hpp"
#include "support/database_kind.hpp"
#include "support/database_server.hpp"

#include <string>
#include <vector>

namespace errand::test {

std::unique_ptr<sql::driver> driver_of(const std::string& url);

struct driver_fixture {
    driver_fixture();
    ~driver_fixture();
    driver_fixture(const driver_fixture&) = delete;
    driver_fixture& operator=(const driver_fixture&) = delete;

    boost::asio::io_context io{1};
    database_server& server;
    std::string name;  // of the database

    using session_ptr = std::unique_ptr<sql::session>;

    session_ptr open() { return open(server.url(name)); }
    session_ptr open(const std::string& url);
    // Placeholders are written $1, $2, … in their order, whatever the database's own are.
    sql::result run(const session_ptr& on, const std::string& statement, std::vector<sql::value> values = {});
    // The only value of the only row.
    sql::value ask(const session_ptr& on, const std::string& statement, std::vector<sql::value> values = {});
    // In what words it is refused; "accepted" when it is not.
    std::string refusal(const session_ptr& on, const std::string& statement,
                        std::vector<sql::value> values = {});
    // What names the session at the server, and ends it there.
    std::int64_t id_of(const session_ptr& session);
    void end(const session_ptr& by, std::int64_t id);

    // What is said differently.
    const char* on(const char* postgres, const char* mysql) const;
};

// With the database's own placeholders.
std::string in_dialect(const std::string& statement);

}  // namespace errand::test
