// The database that is measured, in BENCH_DATABASE, and the transactions that are made in it.
#pragma once

#include <errand/errand.hpp>

#include "sql/driver.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace commit {

// insert: an order is written, the least that a transaction can do. tpcb: what the benchmark TPC-B does, statement for
// statement as pgbench does it: three balances change, one is read, and the order stands for the line of history.
enum class work { insert, tpcb };

class shop {
public:
    // Makes the tables anew and empties the outbox. So many connections at most.
    shop(errand::app& app, work what, std::size_t connections);

    errand::database& database() const noexcept { return *db_; }
    // The statements of the transaction of this number.
    std::vector<errand::sql::statement> transaction(std::int64_t id) const;
    // One INSERT more, of the bytes that a task of this benchmark has.
    errand::sql::statement one_more(std::int64_t id) const;

    // Throws unless all transactions from 1 to `count` have happened, and nothing else.
    void check(std::size_t count);
    // How many rows of the outbox are not struck off yet.
    std::size_t left_in_outbox();

private:
    void fill(const std::string& table, std::int64_t rows, const std::string& others);
    std::int64_t sum(const std::string& column, const std::string& table);
    std::string in_dialect(std::string statement) const;

    errand::app& app_;
    const work what_;
    std::shared_ptr<errand::database> db_;
    std::string insert_, more_, account_, balance_, teller_, branch_;
};

}  // namespace commit
