#include "shop.hpp"

#include "common/measure.hpp"

#include <cstdlib>

namespace commit {

namespace {

std::shared_ptr<errand::database> open(errand::app& app, std::size_t connections) {
    const char* given = std::getenv("BENCH_DATABASE");
    if (given == nullptr) bench::fail("BENCH_DATABASE is not set: run this through scripts/bench");
    const std::string url = given;
    const errand::database_options options{.connections = connections};
    if (url.starts_with("postgres")) return std::make_shared<errand::postgres::database>(app, url, options);
    if (url.starts_with("mysql")) return std::make_shared<errand::mysql::database>(app, url, options);
    return std::make_shared<errand::sqlite::database>(app, url, options);
}

}  // namespace

shop::shop(errand::app& app, std::size_t connections)
    : app_{app},
      db_{open(app, connections)},
      insert_{"INSERT INTO orders(id, cents, customer) VALUES " +
              std::string{db_->url().starts_with("mysql") ? "(?, ?, ?)" : "($1, $2, $3)"}} {
    for (const char* statement :
         {"DROP TABLE IF EXISTS orders",
          "CREATE TABLE orders(id BIGINT PRIMARY KEY, cents BIGINT NOT NULL, customer VARCHAR(100) NOT NULL)",
          "DELETE FROM errand_outbox"})
        app_.block_on(db_->execute(statement));
}

std::vector<errand::sql::value> shop::order(std::int64_t id) {
    return {id, 100 * id, "customer-" + std::to_string(id % 1000) + "@example.org"};
}

void shop::check_orders(std::size_t orders) {
    const auto count = app_.block_on(db_->query<std::size_t>("SELECT count(*) FROM orders")).at(0);
    const auto sum = app_.block_on(db_->query<std::size_t>("SELECT coalesce(sum(id), 0) FROM orders")).at(0);
    if (count != orders || sum != orders * (orders + 1) / 2)
        bench::fail(std::to_string(count) + " of " + std::to_string(orders) + " orders are there");
}

std::size_t shop::left_in_outbox() {
    return app_.block_on(db_->query<std::size_t>("SELECT count(*) FROM errand_outbox")).at(0);
}

}  // namespace commit
