#include "outbox_trial/shop.hpp"

#include "core/event.hpp"
#include "runtime/app_core.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <future>
#include <unistd.h>
#include <vector>

namespace outbox_trial {

using namespace std::chrono_literals;
namespace asio = boost::asio;

errand::awaitable<void> receipt::perform(std::int64_t order) {
    auto& self = co_await errand::this_task();
    co_await errand::transaction(
        db_, errand::retry_serialization{20}, [&](auto& tx) -> errand::awaitable<void> {
            if (!co_await self.once(tx)) co_return;
            co_await tx.execute("INSERT INTO receipts(order_id) VALUES(" + std::to_string(order) + ")");
        });
}

errand::config settings_of(const std::string& store, const std::string& name_space) {
    errand::config settings;
    settings.store = store;
    settings.name_space = name_space;
    settings.lease = 2s;
    settings.log_level = "off";
    return settings;
}

std::shared_ptr<errand::database> open(errand::app& app, const std::string& url) {
    if (url.starts_with("postgres")) return std::make_shared<errand::postgres::database>(app, url);
    if (url.starts_with("mysql")) return std::make_shared<errand::mysql::database>(app, url);
    return std::make_shared<errand::sqlite::database>(app, url);
}

errand::awaitable<void> make_tables(errand::database& db) {
    co_await db.install();
    co_await db.execute("CREATE TABLE IF NOT EXISTS orders(id BIGINT PRIMARY KEY)");
    // No key: a second receipt is to be seen.
    co_await db.execute("CREATE TABLE IF NOT EXISTS receipts(order_id BIGINT)");
}

namespace {

struct no_money {};

errand::awaitable<void> order(errand::app& app, errand::database& db, std::int64_t id, int rolled_back) {
    try {
        co_await errand::transaction(
            db, errand::retry_serialization{20}, [&](auto& tx) -> errand::awaitable<void> {
                co_await tx.execute("INSERT INTO orders(id) VALUES(" + std::to_string(id) + ")");
                co_await app.handler<receipt>().perform_async(id);
                if (is_rolled_back(id)) throw no_money{};
            });
    } catch (const no_money&) {
        if (::write(rolled_back, ".", 1) != 1) std::abort();
    } catch (const errand::error&) {
        // Whether it was committed the database knows.
    }
}

errand::awaitable<void> orders(errand::app& app, errand::database& db, std::atomic<std::int64_t>& next,
                               std::int64_t end, int rolled_back) {
    for (auto id = next++; id < end; id = next++) co_await order(app, db, id, rolled_back);
}

void die_at(errand::app& app, const shop_plan& plan) {
    if (plan.dies_at.empty()) return;
    auto left = std::make_shared<std::atomic<int>>(plan.dies_after);
    errand::detail::core_of(app).events.subscribe([left, step = plan.dies_at](const errand::event& what) {
        if (what.kind == errand::event_kind::commit_step && what.text == step && --*left <= 0)
            ::kill(::getpid(), SIGKILL);
    });
}

}  // namespace

int run_shop(const shop_plan& plan) {
    errand::app app{settings_of(plan.store, plan.name_space)};
    const auto db = open(app, plan.database);
    app.provide_ref(*db);
    die_at(app, plan);
    const int rolled_back = ::open(plan.rolled_back.c_str(), O_WRONLY | O_APPEND);
    asio::thread_pool pool{2};
    std::atomic<std::int64_t> next{plan.first};
    std::vector<std::future<void>> ends;
    for (int lane = 0; lane < 8; ++lane) {
        ends.push_back(asio::co_spawn(pool.get_executor(),
                                      orders(app, *db, next, plan.first + plan.orders, rolled_back),
                                      asio::use_future));
    }
    for (auto& end : ends) end.get();
    pool.join();
    ::close(rolled_back);
    return 0;
}

int run_worker(const std::string& database, const std::string& store, const std::string& name_space) {
    errand::app app{settings_of(store, name_space)};
    const auto db = open(app, database);
    app.provide_ref(*db);
    return app.run();
}

}  // namespace outbox_trial

ERRAND_DEFINE_HANDLER(outbox_trial::receipt)
