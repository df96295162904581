// Orders get receipts: the types that travel, the bean, and the handler with its policy.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <optional>
#include <string>

using namespace std::chrono_literals;

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
};

struct receipt {
    std::string order_id;
    std::string url;
};

// Sends receipts, and like every mail server it has its moods: one mail in ten fails.
class mailer {
public:
    explicit mailer(std::string server) : server_{std::move(server)} {}
    // Returns where the receipt can be read. Throws std::runtime_error.
    errand::awaitable<std::string> send(const order& o);
    static std::string url_of(const order& o);

private:
    std::string server_;
};

class send_receipt {
public:
    explicit send_receipt(mailer& m) : mailer_{m} {}
    errand::awaitable<receipt> perform(order o);
    static std::string biz_id(const order& o) { return o.id; }

private:
    mailer& mailer_;
};
ERRAND_DECLARE_HANDLER(send_receipt, .queue = "mail", .timeout = 60s, .max_retry = 20,
                       .backoff = errand::backoff::exponential(50ms, 2s))
