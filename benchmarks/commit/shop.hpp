// The database that is measured, in BENCH_DATABASE: a table of orders that one statement writes to.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace commit {

class shop {
public:
    // Makes the table anew and empties the outbox. So many connections at most.
    shop(errand::app& app, std::size_t connections);

    errand::database& database() const noexcept { return *db_; }
    // The one statement of a transaction, and its parameters.
    const std::string& insert() const noexcept { return insert_; }
    static std::vector<errand::sql::value> order(std::int64_t id);

    // Throws unless there is each order from 1 to `orders`, and nothing else.
    void check_orders(std::size_t orders);
    // How many rows of the outbox are not struck off yet.
    std::size_t left_in_outbox();

private:
    errand::app& app_;
    std::shared_ptr<errand::database> db_;
    std::string insert_;
};

}  // namespace commit
