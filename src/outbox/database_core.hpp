// What a database object is: its connections, the loops that they are used on, its outbox.
//
// A session and a transaction are touched on one loop only, which whoever begins it chooses: callers come and go by run_at().
#pragma once

#include <errand/database.hpp>

#include "core/sealed_records.hpp"
#include "outbox/statements.hpp"
#include "runtime/outbox_port.hpp"
#include "sql/dialect.hpp"
#include "sql/driver.hpp"
#include "sql/pool.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace errand {
struct outbox_entry;
}

namespace errand::detail {

class app_core;
class courier;
class relay_calls;
struct relay_pass;

// Of a row; before all of them.
struct outbox_place {
    std::string batch{};
    std::int64_t place = -1;
};

class database_core final : public outbox_port, public std::enable_shared_from_this<database_core> {
public:
    database_core(app_core& app, std::unique_ptr<sql::driver> of, const database_options& options);
    ~database_core() override;

    app_core& app() noexcept { return app_; }
    const sql::dialect& dialect() const noexcept { return dialect_; }
    const outbox_statements& statements() const noexcept { return statements_; }
    const std::string& shown_url() const noexcept override { return driver_->shown_url(); }
    const std::string& name_space() const noexcept;
    // With which the content of what its rows hold is encrypted, as in the store; nullopt: it is not.
    std::optional<sealed_records> seals() const;
    // The same database for another namespace that the app's worker serves: its tasks go through an outbox's life and connections
    // of their own. Before it is used.
    void add_other(const app_core& core, std::shared_ptr<database_core> other);
    // The one among them that whoever calls is to use: by the task that it runs under.
    std::shared_ptr<database_core> for_caller(const boost::asio::any_io_executor& caller);
    // Where the statements of a caller on this executor run: on its own loop, when that is one of the app's and enough
    // connections are allowed for all loops to have some; else in the background. Those of a driver that blocks: on the
    // database's own thread.
    boost::asio::io_context& place_of(const boost::asio::any_io_executor& caller);
    sql::pool& connections() noexcept { return *pool_; }
    // Statements run on a thread of the database's own: the driver's calls block.
    bool has_thread() const noexcept { return own_.has_value(); }
    boost::asio::io_context& thread() noexcept { return *own_; }
    bool sends_together() const noexcept { return driver_->sends_together(); }
    // Some connection may have the app's tasks in its database.
    bool may_keep_tasks() const noexcept { return driver_->attaches(); }
    courier& sender() noexcept { return *courier_; }
    // Of a row that cannot be delivered: once. From any thread.
    void complain(const std::string& why);

    // `work`: awaitable<T>(), called at this place; T can be made by T{}.
    template <class Work>
    auto run_at(boost::asio::io_context& place, Work work) -> std::invoke_result_t<Work&>;

    // One statement on a connection of its own, at the caller's place.
    awaitable<sql::result> run_alone(std::string statement, std::vector<sql::value> values);

    awaitable<std::size_t> deliver_left_behind() override;
    awaitable<std::size_t> clean_effects() override;
    awaitable<outbox_info> look() override;
    outbox_counts counts() const override;
    void close() override;
    bool is_closed() const noexcept { return closed_; }

private:
    [[noreturn]] static void throw_closed();
    awaitable<sql::result> run_alone_at(boost::asio::io_context& place, std::string statement,
                                        std::vector<sql::value> values);
    struct page_of_rows {
        std::int64_t rows = 0, delivered = 0;
        outbox_place last{};
    };
    awaitable<page_of_rows> relay_page(boost::asio::io_context& place, outbox_place after,
                                       std::shared_ptr<relay_pass> of);
    awaitable<std::size_t> relay_all(boost::asio::io_context& place);
    std::vector<outbox_entry> readable(const sql::result& rows);
    void start_thread();
    void stop_thread();

    app_core& app_;
    std::map<const app_core*, std::shared_ptr<database_core>> others_;
    const sql::dialect& dialect_;
    const outbox_statements& statements_;
    std::unique_ptr<sql::driver> driver_;

    // Of a driver that blocks.
    std::optional<boost::asio::io_context> own_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> own_work_;
    std::thread own_thread_;

    std::shared_ptr<sql::pool> pool_;
    std::shared_ptr<courier> courier_;
    std::unique_ptr<relay_calls> relay_calls_;
    std::atomic<bool> complained_{false};  // of a row that cannot be read
    std::atomic<bool> closing_{false}, closed_{false};
};

template <class Work>
auto database_core::run_at(boost::asio::io_context& place, Work work) -> std::invoke_result_t<Work&> {
    if (closed_) throw_closed();
    if (place.get_executor().running_in_this_thread()) co_return co_await work();
    // The work is kept here, and this coroutine until it has ended.
    auto call = [](Work& w) -> std::invoke_result_t<Work&> { co_return co_await w(); };
    co_return co_await boost::asio::co_spawn(place.get_executor(), call(work), boost::asio::use_awaitable);
}

// Makes the driver with which the database serves a namespace.
using driver_maker = std::function<std::unique_ptr<sql::driver>(app_core&)>;

// The parts of a public database. Throws usage_error for options out of range, and what the maker throws.
std::shared_ptr<database_core> open_database(errand::app& owner, const driver_maker& make,
                                             const database_options& options);

}  // namespace errand::detail
