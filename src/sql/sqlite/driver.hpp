// A user's SQLite file behind the seam of databases.
#pragma once

#include "core/sqlite_url.hpp"
#include "sql/driver.hpp"
#include "sql/sqlite/write_turn.hpp"

#include <chrono>
#include <functional>
#include <memory>

struct sqlite3;

namespace errand::sqlite {

class driver final : public sql::driver {
public:
    // What is kept with a connection that was opened, whose statements run on this context. May return null.
    using attach = std::function<std::unique_ptr<sql::attachment>(::sqlite3*, boost::asio::io_context&)>;

    // Throws usage_error when the URL is not one of a file. `with` may be empty.
    driver(const std::string& url, std::chrono::milliseconds busy_wait, attach with);

    std::string_view name() const noexcept override { return "sqlite"; }
    const std::string& shown_url() const noexcept override { return url_; }
    bool blocks() const noexcept override { return true; }
    bool attaches() const noexcept override { return attach_ != nullptr; }
    awaitable<std::unique_ptr<sql::session>> connect(boost::asio::io_context& on) override;

private:
    const std::string url_;
    const sqlite_url at_;
    const std::chrono::milliseconds busy_wait_;
    const attach attach_;
    std::shared_ptr<write_turn> turn_;  // made with the first session
};

}  // namespace errand::sqlite
