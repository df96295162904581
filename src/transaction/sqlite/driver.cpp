#include "transaction/sqlite/driver.hpp"

#include <errand/app.hpp>
#include <errand/error.hpp>
#include <errand/sqlite.hpp>

#include "runtime/app_core.hpp"
#include "transaction/database_core.hpp"
#include "transaction/joined.hpp"
#include "transaction/sqlite/session.hpp"
#include "transaction/sqlite/tasks_inside.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::sqlite {

// Whether it is this file, a connection tells: that is a way to its thread and back, while nobody else can write.
bool driver::may_keep_tasks() const noexcept { return app_.settings.store.starts_with("sqlite:"); }

awaitable<std::unique_ptr<sql::session>> driver::connect(boost::asio::io_context& on) {
    if (!turn_) turn_ = std::make_shared<write_turn>(on);
    const auto until = std::chrono::steady_clock::now() + busy_wait_;
    boost::asio::steady_timer timer{on};
    for (;;) {
        try {
            auto of = std::make_unique<handle>(at_.path, at_.synchronous);
            auto tasks = tasks_inside(app_, of->raw(), on);
            co_return std::make_unique<session>(std::move(of), std::move(tasks), turn_, busy_wait_);
        } catch (const busy&) {
            if (std::chrono::steady_clock::now() > until)
                throw store_error{"connect: " + at_.path + ": another process keeps the file locked"};
        }
        timer.expires_after(std::chrono::milliseconds{5});
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

database::database(app& owner, const std::string& url, database_options options)
    : errand::database{detail::open_database(
          owner, std::make_unique<driver>(detail::core_of(owner), url, options.busy_wait), options)} {}

joined_transaction adopt(database& db, ::sqlite3* connection) {
    if (connection == nullptr) throw usage_error{"sqlite::adopt: the connection is null"};
    auto& core = *db.core();
    auto tasks = tasks_inside(core.app(), connection, core.thread());
    return detail::join(db.core(),
                        std::make_unique<session>(std::make_unique<handle>(connection), std::move(tasks),
                                                  nullptr, std::chrono::milliseconds{0}));
}

}  // namespace errand::sqlite
