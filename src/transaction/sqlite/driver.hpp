#pragma once

#include "transaction/driver.hpp"
#include "transaction/sqlite/address.hpp"
#include "transaction/sqlite/write_turn.hpp"

#include <chrono>
#include <memory>

namespace errand::detail {
class app_core;
}

namespace errand::sqlite {

class driver final : public sql::driver {
public:
    driver(detail::app_core& app, const std::string& url, std::chrono::milliseconds busy_wait)
        : app_{app}, url_{url}, at_{parse_file_address(url)}, busy_wait_{busy_wait} {}

    std::string_view name() const noexcept override { return "sqlite"; }
    const std::string& shown_url() const noexcept override { return url_; }
    bool blocks() const noexcept override { return true; }
    bool may_keep_tasks() const noexcept override;
    awaitable<std::unique_ptr<sql::session>> connect(boost::asio::io_context& on) override;

private:
    detail::app_core& app_;
    const std::string url_;
    const sqlite_url at_;
    const std::chrono::milliseconds busy_wait_;
    std::shared_ptr<write_turn> turn_;  // made with the first session
};

}  // namespace errand::sqlite
