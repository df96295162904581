// The handlers of the contract's first two sections.
#pragma once

#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

namespace api_call {

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
};
struct receipt {
    std::string order_id;
    std::string url;
};

using mailer = errand::test::test_mailer;

class send_receipt {
public:
    explicit send_receipt(mailer& m) : mailer_{m} {}
    errand::awaitable<receipt> perform(order o) {
        ++mailer_.sent;
        co_return receipt{o.id, mailer_.address + "/" + o.id};
    }
    static std::string biz_id(const order& o) { return o.id; }

private:
    mailer& mailer_;
};

struct add {
    errand::awaitable<int> perform(int a, int b) { co_return a + b; }
};

struct no_result {
    errand::awaitable<void> perform() { co_return; }
};

struct fails {
    errand::awaitable<int> perform(int times) {
        auto& self = co_await errand::this_task();
        if (self.attempt() <= times)
            throw std::runtime_error{"attempt " + std::to_string(self.attempt()) + " broke"};
        co_return self.attempt();
    }
};

struct discards {
    errand::awaitable<void> perform() {
        throw errand::discard{"no such customer"};
        co_return;
    }
};

struct throws_text {
    errand::awaitable<void> perform(bool string) {
        if (string) throw std::string{"a string"};
        throw "a literal";
        co_return;
    }
};

struct retries_soon {
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        if (self.attempt() == 1) throw errand::retry_in{10ms, "not yet"};
        co_return self.attempt();
    }
};

struct snoozes {
    mailer& count;
    explicit snoozes(mailer& m) : count{m} {}
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        if (++count.sent < 3) throw errand::snooze{5ms};
        co_return self.attempt();
    }
};

struct waits {
    errand::awaitable<void> perform() {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

struct nests {
    errand::proxy<nests> self;
    errand::app& owner;
    nests(errand::proxy<nests> p, errand::app& a) : self{p}, owner{a} {}
    errand::awaitable<int> perform(int depth) {
        if (depth == 0) co_return 0;
        auto child = co_await self.perform_async(depth - 1);
        co_return 1 + co_await child;
    }
};

struct looks_inside {
    errand::awaitable<std::string> perform() {
        auto& self = co_await errand::this_task();
        co_await self.progress(0.4, "4 of 10");
        self.log().info("half way {}", 1);
        co_return self.headers().at("trace") + " " + self.id() + " " + std::to_string(self.attempt()) + " " +
            (self.fence() > 0 ? "fenced" : "free") +
            (self.deadline() > errand::time_point{} ? " limited" : "");
    }
};

struct times_out {
    errand::awaitable<void> perform() {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

struct computes {
    errand::awaitable<std::string> perform(std::string text) {
        auto& self = co_await errand::this_task();
        co_await self.progress(0.5);
        co_return text + text;
    }
};

struct wire_named {
    errand::awaitable<std::vector<int>> perform(std::vector<int> v) { co_return v; }
};

}  // namespace api_call

ERRAND_HANDLER(api_call::send_receipt, .queue = "mail", .timeout = 600s, .max_retry = 3)
ERRAND_HANDLER(api_call::add)
ERRAND_HANDLER(api_call::no_result)
ERRAND_HANDLER(api_call::fails, .max_retry = 2, .backoff = errand::backoff::uniform(5ms))
ERRAND_HANDLER(api_call::discards)
ERRAND_HANDLER(api_call::throws_text, .max_retry = 0)
ERRAND_HANDLER(api_call::retries_soon)
ERRAND_HANDLER(api_call::snoozes, .max_retry = 0)
ERRAND_HANDLER(api_call::waits)
ERRAND_HANDLER(api_call::nests)
ERRAND_HANDLER(api_call::looks_inside)
ERRAND_HANDLER(api_call::times_out, .timeout = 30ms, .max_retry = 0)
ERRAND_HANDLER(api_call::computes, .blocking = true)
ERRAND_HANDLER(api_call::wire_named, .name = "vectors.echo", .aliases = {"vectors.old"}, .queue = "vectors")
