// MySQL and MariaDB behind the seam of databases.
#pragma once

#include "sql/driver.hpp"

#include <memory>
#include <string>

namespace boost::mysql {
class any_connection;
}

namespace errand::mysql {

struct destination;

class driver final : public sql::driver {
public:
    // Throws usage_error when the URL is not one of MySQL.
    explicit driver(const std::string& url);

    std::string_view name() const noexcept override { return "mysql"; }
    const std::string& shown_url() const noexcept override;
    bool sends_together() const noexcept override { return true; }
    awaitable<std::unique_ptr<sql::session>> connect(boost::asio::io_context& on) override;

private:
    std::shared_ptr<const destination> there_;
};

// A connection that the user opened and will close.
std::unique_ptr<sql::session> adopted(boost::mysql::any_connection& connection);

}  // namespace errand::mysql
