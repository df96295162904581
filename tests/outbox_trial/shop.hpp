// The processes of the trial: a shop that commits orders, and a worker that writes receipts.
#pragma once

#include <errand/errand.hpp>

#include <memory>
#include <string>

namespace outbox_trial {

// Writes the receipt of an order, once.
struct receipt {
    explicit receipt(errand::database& db) : db_{db} {}
    errand::awaitable<void> perform(std::int64_t order);

private:
    errand::database& db_;
};

struct shop_plan {
    std::string database, store, name_space;
    std::int64_t first = 0;  // number of the first order
    int orders = 0;
    std::string dies_at;      // the step; empty: never
    int dies_after = 0;       // so many of these steps
    std::string rolled_back;  // a file that gets a byte for each order that was
};

// An order that is rolled back by its body.
constexpr bool is_rolled_back(std::int64_t order) { return order % 3 == 0; }

errand::config settings_of(const std::string& store, const std::string& name_space);
std::shared_ptr<errand::database> open(errand::app& app, const std::string& url);
errand::awaitable<void> make_tables(errand::database& db);

// Each returns what the process ends with.
int run_shop(const shop_plan& plan);
int run_worker(const std::string& database, const std::string& store, const std::string& name_space);

}  // namespace outbox_trial

// A database that is being restarted may cost many attempts.
ERRAND_DECLARE_HANDLER(outbox_trial::receipt, .max_retry = 10'000,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{50}))
