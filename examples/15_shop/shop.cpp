// A shop whose work is worth looking at: mails of which some fail, pictures that take a while, a vendor's API with a limit, orders of
// several steps that wait for each other, a report each ten seconds, and a queue that nobody serves. `scripts/demo` shows it in the
// console.
//
//   15_shop work        a worker until SIGTERM
//   15_shop trade       submits until SIGTERM
//   15_shop brief       both in one process, until twenty orders are done
//
// ERRAND_STORE names the store that `work` and `trade` share.
#include <errand/errand.hpp>

#include "../shared_store.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

int drawn(int below) {
    thread_local std::mt19937 generator{std::random_device{}()};
    return std::uniform_int_distribution{0, below - 1}(generator);
}

errand::awaitable<void> pause_for(errand::duration length) {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, length};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace

inline const errand::limit vendor_api{"vendor-api", {.max_running = 2, .rate = errand::per_second(5)}};

class send_mail {
public:
    errand::awaitable<void> perform(std::string customer, std::int64_t order) {
        co_await pause_for(std::chrono::milliseconds{20 + drawn(200)});
        const auto luck = drawn(100);
        if (luck < 4)
            throw std::runtime_error{"no route to 10.0.0." + std::to_string(drawn(250)) + ":25 after 30 s"};
        if (luck < 6)
            throw std::runtime_error{"mailbox of " + customer + " is full, order " + std::to_string(order)};
    }
};
ERRAND_HANDLER(send_mail, .queue = "mail", .max_retry = 1, .backoff = errand::backoff::exponential(2s, 10s))

class scale_picture {
public:
    errand::awaitable<int> perform(std::int64_t order) {
        auto& self = co_await errand::this_task();
        self.log().info("picture of order {}", order);
        for (int part = 1; part <= 10; ++part) {
            co_await pause_for(std::chrono::milliseconds{100 + drawn(300)});
            co_await self.progress(part / 10.0, std::to_string(part) + " of 10 tiles");
        }
        co_return 1024;
    }
};
ERRAND_HANDLER(scale_picture, .queue = "pictures")

class ask_vendor {
public:
    errand::awaitable<void> perform(std::int64_t /*article*/) { co_await pause_for(150ms); }
};
ERRAND_HANDLER(ask_vendor, .queue = "vendor", .limits = {"vendor-api"})

class pack_order {
public:
    errand::awaitable<std::string> perform(std::int64_t order) {
        auto& self = co_await errand::this_task();
        co_await self.stage("weigh", []() -> errand::awaitable<int> {
            co_await pause_for(60ms);
            co_return 990;
        });
        co_await self.stage("label", []() -> errand::awaitable<void> { co_await pause_for(90ms); });
        if (drawn(100) < 3)
            throw std::runtime_error{"no label printer answers: job " + std::to_string(order)};
        co_return "parcel " + std::to_string(order);
    }
};
ERRAND_HANDLER(pack_order, .queue = "orders", .max_retry = 2, .backoff = errand::backoff::exponential(1s, 5s))

class close_order {
public:
    errand::awaitable<void> perform(std::int64_t /*order*/) { co_await pause_for(10ms); }
};
ERRAND_HANDLER(close_order, .queue = "orders")

class daily_report {
public:
    errand::awaitable<void> perform() { co_await pause_for(800ms); }
};
ERRAND_HANDLER(daily_report, .queue = "reports")

namespace {

// An order is packed and its picture scaled, then it is closed and the customer told.
errand::awaitable<errand::handle<void>> order(errand::app& app, std::int64_t number) {
    const std::string customer = "customer-" + std::to_string(number % 17);
    const auto packed = co_await app.handler<pack_order>()
                            .with({.biz_id = "order-" + std::to_string(number), .tags = {customer}})
                            .perform_async(number);
    const auto picture = co_await app.handler<scale_picture>().perform_async(number);
    const auto closed =
        co_await app.handler<close_order>().with({.after = {packed, picture}}).perform_async(number);
    co_await app.handler<send_mail>()
        .with({.after = {packed}, .tags = {customer}})
        .perform_async(customer, number);
    for (int i = 0; i < 3; ++i) co_await app.handler<ask_vendor>().perform_async(number * 10 + i);
    co_return closed;
}

errand::awaitable<void> trade(errand::app& app) {
    boost::asio::signal_set signals{co_await boost::asio::this_coro::executor, SIGINT, SIGTERM};
    bool over = false;
    signals.async_wait([&](const boost::system::error_code& ec, int) { over = over || !ec; });
    co_await app.handler<daily_report>().every(10s, {.key = "report", .mode = errand::fixed_rate});
    co_await app.handler<daily_report>().cron("0 8 * * MON-FRI",
                                              {.key = "morning", .timezone = "Asia/Shanghai"});
    const errand::options nobody{.queue = "archive"};
    for (std::int64_t number = std::chrono::system_clock::now().time_since_epoch() / 1s;; ++number) {
        if (over) co_return;
        co_await order(app, number);
        if (number % 20 == 0) co_await app.handler<close_order>().with(nobody).perform_async(number);
        co_await pause_for(700ms);
    }
}

errand::awaitable<void> brief(errand::app& app) {
    co_await app.start();
    int done = 0;
    for (std::int64_t number = 1; number <= 20; ++number) {
        const auto closed = co_await order(app, number);
        try {
            co_await closed.result(60s);
            ++done;
        } catch (const errand::error&) {
            // Some have no luck, as they are to.
        }
        if (done > 0) break;
    }
    co_await app.stop();
    std::printf("shop: %s\n", done > 0 ? "an order is done" : "no order is done");
}

}  // namespace

int main(int count, char** words) try {
    const std::string verb = count == 2 ? words[1] : "";
    if (verb == "brief") {
        errand::app app;
        return app.block_on(brief(app)), 0;
    }
    errand::app app{shared_store()};
    if (verb == "work") return app.run();
    if (verb == "trade") return app.block_on(trade(app)), 0;
    return std::fputs("15_shop work|trade|brief\n", stderr), 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "15_shop: %s\n", e.what());
    return 1;
}
