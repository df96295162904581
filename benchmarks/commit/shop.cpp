#include "shop.hpp"

#include "common/measure.hpp"

#include <algorithm>
#include <cstdlib>

namespace commit {

namespace {

// As many for a branch as in TPC-B but the accounts, of which there are a hundredth; branches enough for all callers.
constexpr std::int64_t branches = 50, tellers = 10 * branches, accounts = 1000 * branches;

std::shared_ptr<errand::database> open(errand::app& app, std::size_t connections) {
    const char* given = std::getenv("BENCH_DATABASE");
    if (given == nullptr) bench::fail("BENCH_DATABASE is not set: run this through scripts/bench");
    const std::string url = given;
    const errand::database_options options{.connections = connections};
    if (url.starts_with("postgres")) return std::make_shared<errand::postgres::database>(app, url, options);
    if (url.starts_with("mysql")) return std::make_shared<errand::mysql::database>(app, url, options);
    return std::make_shared<errand::sqlite::database>(app, url, options);
}

// Of 0 to `count` - 1, also for the negative ones of the warm-up; callers at the same time meet in different ones.
std::int64_t place(std::int64_t id, std::int64_t count, std::int64_t step) {
    return ((id * step) % count + count) % count;
}

}  // namespace

shop::shop(errand::app& app, work what, std::size_t connections)
    : app_{app},
      what_{what},
      db_{open(app, connections)},
      insert_{in_dialect("INSERT INTO orders(id, cents, customer) VALUES ($1, $2, $3)")},
      more_{in_dialect("INSERT INTO more(id, part, content) VALUES ($1, $2, $3)")},
      account_{in_dialect("UPDATE accounts SET balance = balance + $1 WHERE id = $2")},
      balance_{in_dialect("SELECT balance FROM accounts WHERE id = $1")},
      teller_{in_dialect("UPDATE tellers SET balance = balance + $1 WHERE id = $2")},
      branch_{in_dialect("UPDATE branches SET balance = balance + $1 WHERE id = $2")} {
    for (const char* table : {"orders", "more", "accounts", "tellers", "branches"})
        app_.block_on(db_->execute(std::string{"DROP TABLE IF EXISTS "} + table));
    for (const char* statement :
         {"CREATE TABLE orders(id BIGINT PRIMARY KEY, cents BIGINT NOT NULL, customer VARCHAR(100) NOT NULL)",
          "CREATE TABLE more(id VARCHAR(36) NOT NULL, part BIGINT NOT NULL, content VARCHAR(400) NOT NULL, "
          "PRIMARY KEY(id, part))",
          "DELETE FROM errand_outbox"})
        app_.block_on(db_->execute(statement));
    if (what_ != work::tpcb) return;
    fill("branches", branches, "");
    fill("tellers", tellers, "branch BIGINT NOT NULL DEFAULT 1, ");
    fill("accounts", accounts, "branch BIGINT NOT NULL DEFAULT 1, ");
}

void shop::fill(const std::string& table, std::int64_t rows, const std::string& others) {
    app_.block_on(db_->execute("CREATE TABLE " + table + "(id BIGINT PRIMARY KEY, " + others +
                               "balance BIGINT NOT NULL DEFAULT 0, filler CHAR(80) NOT NULL DEFAULT ' ')"));
    constexpr std::int64_t at_once = 1000;
    for (std::int64_t from = 0; from < rows; from += at_once) {
        std::string text = "INSERT INTO " + table + "(id) VALUES ";
        for (auto id = from; id < std::min(from + at_once, rows); ++id)
            text += (id == from ? "(" : ",(") + std::to_string(id) + ")";
        app_.block_on(db_->execute(text));
    }
}

std::string shop::in_dialect(std::string statement) const {
    if (!db_->url().starts_with("mysql")) return statement;
    for (const char* parameter : {"$1", "$2", "$3"}) {
        const auto at = statement.find(parameter);
        if (at != statement.npos) statement.replace(at, 2, "?");
    }
    return statement;
}

std::vector<errand::sql::statement> shop::transaction(std::int64_t id) const {
    std::vector<errand::sql::statement> all;
    if (what_ == work::tpcb) {
        const auto account = place(id, accounts, 7919);
        all.push_back({account_, {id, account}});
        all.push_back({balance_, {account}});
        all.push_back({teller_, {id, place(id, tellers, 31)}});
        all.push_back({branch_, {id, place(id, branches, 1)}});
    }
    all.push_back({insert_, {id, 100 * id, "customer-" + std::to_string(id % 1000) + "@example.org"}});
    return all;
}

errand::sql::statement shop::one_more(std::int64_t id) const {
    const auto number = std::to_string(id);
    return {more_, {std::string(36 - number.size(), '0') + number, std::int64_t{0}, std::string(300, 'x')}};
}

std::int64_t shop::sum(const std::string& column, const std::string& table) {
    return app_
        .block_on(db_->query<std::int64_t>("SELECT CAST(coalesce(sum(" + column + "), 0) AS " +
                                           (db_->url().starts_with("mysql") ? "SIGNED" : "BIGINT") +
                                           ") FROM " + table))
        .at(0);
}

void shop::check(std::size_t count) {
    const auto orders = app_.block_on(db_->query<std::size_t>("SELECT count(*) FROM orders")).at(0);
    const auto expected = static_cast<std::int64_t>(count * (count + 1) / 2);
    bool right = orders == count && sum("id", "orders") == expected;
    if (what_ == work::tpcb) {
        for (const char* table : {"accounts", "tellers", "branches"})
            right = right && sum("balance", table) == expected;
    }
    if (!right) bench::fail("the tables do not hold what " + std::to_string(count) + " transactions write");
}

std::size_t shop::left_in_outbox() {
    return app_.block_on(db_->query<std::size_t>("SELECT count(*) FROM errand_outbox")).at(0);
}

}  // namespace commit
