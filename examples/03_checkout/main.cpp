// An order service without HTTP: an order and the task that sends its receipt are one transaction.
//
//   03_checkout URL [orders]     sqlite:///path/shop.db, postgres://user@host/name or mysql://user@host/name
#include <errand/errand.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace shop {

struct order {
    std::int64_t id = 0;
    std::int64_t cents = 0;
};

// Parameters are $1, $2 for PostgreSQL and SQLite, and ? for MySQL and MariaDB.
std::string values_of_two(const errand::database& db) {
    return db.url().starts_with("mysql") ? " VALUES (?, ?)" : " VALUES ($1, $2)";
}

// Books the receipt once, however often the task runs.
class send_receipt {
public:
    explicit send_receipt(errand::database& db) : db_{db} {}

    errand::awaitable<std::string> perform(order o) {
        auto& self = co_await errand::this_task();
        co_await errand::transaction(db_, [&](auto& tx) -> errand::awaitable<void> {
            if (!co_await self.once(tx)) co_return;
            co_await tx.execute("INSERT INTO receipts(order_id, cents)" + values_of_two(db_), o.id, o.cents);
        });
        co_return "receipt for order " + std::to_string(o.id);
    }

private:
    errand::database& db_;
};

struct out_of_stock {};

}  // namespace shop

ERRAND_HANDLER(shop::send_receipt, .queue = "receipts")

namespace shop {

// The task leaves if and only if the order is committed.
errand::awaitable<errand::handle<std::string>> check_out(errand::app& app, errand::database& db, order o) {
    auto receipts = app.handler<send_receipt>();
    co_return co_await errand::transaction(
        db, errand::retry_serialization{5}, [&](auto& tx) -> errand::awaitable<errand::handle<std::string>> {
            co_await tx.execute("INSERT INTO orders(id, cents)" + values_of_two(db), o.id, o.cents);
            auto receipt = co_await receipts.perform_async(o);
            if (o.id % 5 == 0) throw out_of_stock{};
            co_return receipt;
        });
}

errand::awaitable<void> make_tables(errand::database& db) {
    co_await db.install();
    co_await db.execute("CREATE TABLE IF NOT EXISTS orders(id BIGINT PRIMARY KEY, cents BIGINT)");
    co_await db.execute("CREATE TABLE IF NOT EXISTS receipts(order_id BIGINT PRIMARY KEY, cents BIGINT)");
}

errand::awaitable<int> sell(errand::app& app, errand::database& db, int orders) {
    co_await make_tables(db);
    co_await app.start();
    std::vector<errand::handle<std::string>> receipts;
    int refused = 0;
    for (std::int64_t id = 1; id <= orders; ++id) {
        try {
            receipts.push_back(co_await check_out(app, db, {id, 100 * id}));
        } catch (const out_of_stock&) {
            ++refused;
        }
    }
    co_await errand::all(receipts);
    const auto booked = co_await db.query<std::int64_t>(
        "SELECT count(*) FROM orders o JOIN receipts r ON r.order_id = o.id AND r.cents = o.cents");
    const auto kept = co_await db.query<std::int64_t>("SELECT count(*) FROM orders");
    std::printf("checkout: %d orders, %d refused, %lld receipts\n", static_cast<int>(kept.at(0)), refused,
                static_cast<long long>(booked.at(0)));
    co_await app.stop();
    co_return booked == kept&& kept.at(0) + refused == orders ? 0 : 1;
}

std::shared_ptr<errand::database> open(errand::app& app, const std::string& url) {
    if (url.starts_with("postgres")) return std::make_shared<errand::postgres::database>(app, url);
    if (url.starts_with("mysql")) return std::make_shared<errand::mysql::database>(app, url);
    return std::make_shared<errand::sqlite::database>(app, url);
}

}  // namespace shop

int main(int count, char** words) {
    const std::string url = count > 1 ? words[1] : "sqlite:checkout.db";
    const int orders = count > 2 ? std::atoi(words[2]) : 100;
    errand::app app;
    const auto db = shop::open(app, url);
    app.provide_ref<errand::database>(*db);
    return app.block_on(shop::sell(app, *db, orders));
}
