#include "outbox/database_core.hpp"

#include <errand/app.hpp>
#include <errand/error.hpp>

#include "outbox/courier.hpp"
#include "outbox/relay_calls.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/loop.hpp"
#include "runtime/thread_mark.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>

#include <future>

namespace errand::detail {

namespace asio = boost::asio;

namespace {

constexpr duration flushes_for{2000};

void check(const database_options& options) {
    const auto refuse = [](const std::string& why) { throw usage_error{"database_options: " + why}; };
    if (options.connections < 1 || options.connections > 1000)
        refuse(".connections is 1 to 1000, not " + std::to_string(options.connections));
    for (const auto length : {options.wait, options.busy_wait, options.check_after, options.max_age}) {
        if (length < duration{0}) refuse("a time is negative");
    }
}

// What this user may not do, the first statement that needs the tables says.
awaitable<void> make_tables(const outbox_statements& statements, sql::session& in) {
    try {
        co_await in.run("SELECT 1 FROM errand_outbox, errand_inbox WHERE 1 = 0", {});
        co_return;
    } catch (const database_error&) {
        // They are missing.
    }
    for (const auto& table : statements.tables()) {
        try {
            co_await in.run(table, {});
        } catch (const database_error&) {
            co_return;
        }
    }
}

}  // namespace

database_core::database_core(app_core& app, std::unique_ptr<sql::driver> of, const database_options& options)
    : app_{app},
      dialect_{sql::dialect::of(of->name())},
      statements_{outbox_statements::of(dialect_)},
      driver_{std::move(of)} {
    if (driver_->blocks()) start_thread();
    sql::pool::greeting first;
    if (options.install) first = [this](sql::session& in) { return make_tables(statements_, in); };
    pool_ = std::make_shared<sql::pool>(*driver_, options, std::move(first));
    courier_ = std::make_shared<courier>(*this);
    relay_calls_ = std::make_unique<relay_calls>(*courier_, app_.background());
}

database_core::~database_core() { close(); }

const std::string& database_core::name_space() const noexcept { return app_.settings.name_space; }

std::optional<sealed_records> database_core::seals() const {
    auto keys = app_.seals_in_use();
    if (!keys) return std::nullopt;
    return sealed_records{std::move(keys), name_space()};
}

void database_core::start_thread() {
    own_.emplace(1);
    own_work_.emplace(own_->get_executor());
    own_thread_ = std::thread{[this] {
        const thread_mark mark;
        own_->run();
    }};
}

// What still runs there ends first; a statement that never does must not keep the program from ending.
void database_core::stop_thread() {
    if (!own_thread_.joinable()) return;
    own_work_.reset();
    own_thread_.join();
}

void database_core::throw_closed() { throw store_error{"the database object was closed"}; }

void database_core::close() {
    if (closing_.exchange(true)) return;
    for (const auto& [core, other] : others_) other->close();
    auto& background = app_.background();
    asio::co_spawn(background.executor(), courier_->flush(flushes_for), asio::use_future).get();
    closed_ = true;
    asio::post(background.context(), asio::use_future([this] { courier_->stop(); })).get();
    pool_->close();
    stop_thread();
    app_.drop_outbox(*this);
}

asio::io_context& database_core::place_of(const asio::any_io_executor& caller) {
    if (own_) return *own_;
    auto& near = caller_loop(caller, app_).context();
    auto& background = app_.background().context();
    return &near == &background || pool_->admits(near) ? near : background;
}

awaitable<sql::result> database_core::run_alone(std::string statement, std::vector<sql::value> values) {
    auto& place = place_of(co_await asio::this_coro::executor);
    co_return co_await run_at(place,
                              [&] { return run_alone_at(place, std::move(statement), std::move(values)); });
}

awaitable<sql::result> database_core::run_alone_at(asio::io_context& place, std::string statement,
                                                   std::vector<sql::value> values) {
    sql::pool::loan on{*pool_, co_await pool_->take(place)};
    try {
        auto got = co_await on.run(std::move(statement), std::move(values));
        on.clean = true;
        co_return got;
    } catch (const database_error&) {
        on.clean = true;
        throw;
    }
}

awaitable<sql::result> run_statement(std::shared_ptr<database_core> on, std::string statement,
                                     std::vector<sql::value> values) {
    co_return co_await on->run_alone(std::move(statement), std::move(values));
}

outbox_counts database_core::counts() const {
    outbox_info info;
    courier_->counts.fill(info);
    // Those refused are among them.
    const auto brought = info.delivered + info.left_behind - info.refused;
    return {.database = shown_url(),
            .delivered = static_cast<std::uint64_t>(std::max<std::int64_t>(brought, 0)),
            .refused = static_cast<std::uint64_t>(info.refused)};
}

awaitable<outbox_info> database_core::look() {
    outbox_info info;
    info.database = shown_url();
    courier_->counts.fill(info);
    try {
        const auto got = co_await run_alone(statements_["outbox.backlog"], {name_space()});
        const auto rows = rows_in<std::pair<std::size_t, std::int64_t>>(got);
        info.backlog = rows.at(0).first;
        info.oldest = duration{rows.at(0).second};
    } catch (const error& e) {
        info.trouble = e.what();
    }
    co_return info;
}

void database_core::add_other(const app_core& core, std::shared_ptr<database_core> other) {
    others_.emplace(&core, std::move(other));
}

std::shared_ptr<database_core> database_core::for_caller(const asio::any_io_executor& caller) {
    const auto other = others_.find(&core_for(caller, app_));
    return other == others_.end() ? shared_from_this() : other->second;
}

std::shared_ptr<database_core> open_database(errand::app& owner, const driver_maker& make,
                                             const database_options& options) {
    const auto opened = [&](app_core& core) {
        auto driver = make(core);
        check(options);
        auto made = std::make_shared<database_core>(core, std::move(driver), options);
        core.add_outbox(made);
        return made;
    };
    auto& app = core_of(owner);
    auto made = opened(app);
    for (const auto& one : app.served()) {
        if (one.core != &app) made->add_other(*one.core, opened(*one.core));
    }
    return made;
}

}  // namespace errand::detail

namespace errand {

database::~database() { core_->close(); }

const std::string& database::url() const noexcept { return core_->shown_url(); }

awaitable<void> database::install() {
    for (const auto& table : core_->statements().tables()) co_await detail::run_statement(core_, table, {});
}

}  // namespace errand
