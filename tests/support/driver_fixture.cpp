#include "support/driver_fixture.hpp"

#include <errand/error.hpp>

#include "sql/mysql/driver.hpp"
#include "sql/postgres/driver.hpp"

namespace errand::test {

std::unique_ptr<sql::driver> driver_of(const std::string& url) {
    if (url.starts_with("mysql")) return std::make_unique<mysql::driver>(url);
    return std::make_unique<postgres::driver>(url);
}

std::string in_dialect(const std::string& statement) {
    if (database_kind() == "postgres") return statement;
    std::string own;
    for (std::size_t at = 0; at < statement.size(); ++at) {
        own.push_back(statement[at] == '$' ? '?' : statement[at]);
        if (statement[at] != '$') continue;
        while (at + 1 < statement.size() && statement[at + 1] >= '0' && statement[at + 1] <= '9') ++at;
    }
    return own;
}

driver_fixture::driver_fixture() : server{server_of_program(database_kind())}, name{server.make_database()} {}

driver_fixture::~driver_fixture() = default;

driver_fixture::session_ptr driver_fixture::open(const std::string& url) {
    return await(io, driver_of(url)->connect(io));
}

sql::result driver_fixture::run(const session_ptr& on, const std::string& statement,
                                std::vector<sql::value> values) {
    return await(io, on->run(in_dialect(statement), std::move(values)));
}

sql::value driver_fixture::ask(const session_ptr& on, const std::string& statement,
                               std::vector<sql::value> values) {
    const auto got = run(on, statement, std::move(values));
    REQUIRE(got.rows.size() == 1);
    REQUIRE(got.rows[0].size() == 1);
    return got.rows[0][0];
}

std::string driver_fixture::refusal(const session_ptr& on, const std::string& statement,
                                    std::vector<sql::value> values) {
    try {
        run(on, statement, std::move(values));
    } catch (const error& e) {
        return e.what();
    }
    return "accepted";
}

std::int64_t driver_fixture::id_of(const session_ptr& session) {
    return std::get<std::int64_t>(ask(session, on("SELECT pg_backend_pid()", "SELECT connection_id()")));
}

void driver_fixture::end(const session_ptr& by, std::int64_t id) {
    run(by, on("SELECT pg_terminate_backend(", "KILL (") + std::to_string(id) + ")");
}

const char* driver_fixture::on(const char* postgres, const char* mysql) const {
    return database_kind() == "postgres" ? postgres : mysql;
}

}  // namespace errand::test
