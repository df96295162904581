#include "sql/sqlite/driver.hpp"

#include <errand/error.hpp>

#include "sql/sqlite/session.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::sqlite {
namespace {

sqlite_url file_of(const std::string& url) {
    sqlite_url file;
    auto wrong = read_sqlite_url(url, file);
    if (wrong.empty() && file.path.empty()) wrong = "connections cannot share a database in memory";
    if (!wrong.empty()) {
        throw usage_error{"sqlite::database: \"" + url + "\": " + wrong +
                          "; use sqlite:///absolute/path.db or sqlite:relative/path.db"};
    }
    return file;
}

}  // namespace

driver::driver(const std::string& url, std::chrono::milliseconds busy_wait, attach with)
    : url_{url}, at_{file_of(url)}, busy_wait_{busy_wait}, attach_{std::move(with)} {}

awaitable<std::unique_ptr<sql::session>> driver::connect(boost::asio::io_context& on) {
    if (!turn_) turn_ = std::make_shared<write_turn>(on);
    const auto until = std::chrono::steady_clock::now() + busy_wait_;
    boost::asio::steady_timer timer{on};
    for (;;) {
        try {
            auto opened = std::make_unique<handle>(at_.path, at_.synchronous);
            auto attached = attach_ ? attach_(opened->raw(), on) : nullptr;
            co_return std::make_unique<session>(std::move(opened), std::move(attached), turn_, busy_wait_);
        } catch (const busy&) {
            if (std::chrono::steady_clock::now() > until)
                throw store_error{"connect: " + at_.path + ": another process keeps the file locked"};
        }
        timer.expires_after(std::chrono::milliseconds{5});
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

}  // namespace errand::sqlite
