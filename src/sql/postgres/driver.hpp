// PostgreSQL behind the seam of databases.
#pragma once

#include "sql/driver.hpp"
#include "sql/postgres/address.hpp"

#include <string>

struct pg_conn;

namespace errand::postgres {

class driver final : public sql::driver {
public:
    // Throws usage_error when the URL is not one of PostgreSQL.
    explicit driver(const std::string& url) : to_{parse_address(url)} {}

    std::string_view name() const noexcept override { return "postgres"; }
    const std::string& shown_url() const noexcept override { return to_.shown; }
    bool sends_together() const noexcept override { return true; }
    bool sessions_move() const noexcept override { return true; }
    awaitable<std::unique_ptr<sql::session>> connect(boost::asio::io_context& on) override;

private:
    address to_;
};

// A connection that the user opened and will close. Throws usage_error for a null pointer.
std::unique_ptr<sql::session> adopted(::pg_conn* connection);

}  // namespace errand::postgres
