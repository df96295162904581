// Handlers whose runs a test can read, in the thread that called the harness and in the order in which they were made.
#pragma once

#include <errand/testing.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace harness_test {

using namespace std::chrono_literals;
using errand::state;
using errand::testing::harness;

// What happened, line by line.
struct diary {
    std::vector<std::string> lines;
    std::vector<errand::time_point> times;
    std::vector<std::thread::id> threads;
};

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
};
struct receipt {
    std::string order_id;
    std::string url;
};

class send_receipt {
public:
    explicit send_receipt(diary& d) : diary_{d} {}
    errand::awaitable<receipt> perform(order o) {
        diary_.lines.push_back(o.id);
        diary_.threads.push_back(std::this_thread::get_id());
        co_return receipt{o.id, "https://shop.example/" + o.id};
    }
    static std::string biz_id(const order& o) { return o.id; }

private:
    diary& diary_;
};

// Writes down its name.
class write_line {
public:
    explicit write_line(diary& d) : diary_{d} {}
    errand::awaitable<std::string> perform(std::string name) {
        diary_.lines.push_back(name);
        diary_.threads.push_back(std::this_thread::get_id());
        co_return name;
    }

private:
    diary& diary_;
};

// The same in another queue, on what would be a pool in a worker.
class write_aside {
public:
    explicit write_aside(diary& d) : diary_{d} {}
    errand::awaitable<void> perform(std::string name) {
        diary_.lines.push_back(name);
        diary_.threads.push_back(std::this_thread::get_id());
        co_return;
    }

private:
    diary& diary_;
};

// Always fails.
class refuse {
public:
    explicit refuse(diary& d) : diary_{d} {}
    errand::awaitable<void> perform() {
        auto& self = co_await errand::this_task();
        diary_.lines.push_back("attempt " + std::to_string(self.attempt()));
        throw std::runtime_error{"no route to host"};
    }
    static void on_dead(const errand::task_info& task) { last_words = task.errors.back().message; }
    static inline std::string last_words;

private:
    diary& diary_;
};

// Waits for another task of the same kind, so many levels down.
class nest {
public:
    nest(diary& d, errand::proxy<nest> self) : diary_{d}, self_{self} {}
    errand::awaitable<int> perform(int depth) {
        if (depth == 0) co_return 0;
        auto h = co_await self_.perform_in(1h, depth - 1);
        const int below = co_await h;
        diary_.lines.push_back("level " + std::to_string(depth));
        co_return below + 1;
    }

private:
    diary& diary_;
    errand::proxy<nest> self_;
};

class nap {
public:
    explicit nap(diary& d) : diary_{d} {}
    errand::awaitable<int> perform(int times) {
        const auto& self = co_await errand::this_task();
        diary_.lines.push_back("attempt " + std::to_string(self.attempt()));
        if (static_cast<int>(diary_.lines.size()) <= times) throw errand::snooze(1h);
        co_return self.attempt();
    }

private:
    diary& diary_;
};

// Sleeps so long in real time, or until it is told to stop.
class dawdle {
public:
    explicit dawdle(diary& d) : diary_{d} {}
    errand::awaitable<void> perform(std::chrono::milliseconds length) {
        diary_.lines.push_back("begun");
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, length};
        co_await timer.async_wait(boost::asio::use_awaitable);
        diary_.lines.push_back("over");
    }

private:
    diary& diary_;
};

// Waits for the task of another biz_id, which may never come.
class wait_for {
public:
    explicit wait_for(errand::app& app) : app_{app} {}
    errand::awaitable<std::string> perform(std::string id) {
        auto h = co_await app_.find<std::string>(id);
        co_return co_await *h;
    }

private:
    errand::app& app_;
};

// A day's work in two stages, of which the second fails at first.
class two_stages {
public:
    explicit two_stages(diary& d) : diary_{d} {}
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        const int first = co_await self.stage("first", [this]() -> errand::awaitable<int> {
            diary_.lines.push_back("first");
            co_return 20;
        });
        if (self.attempt() == 1) throw std::runtime_error{"between the stages"};
        const int second =
            co_await self.stage("second", {.max_retry = 2, .backoff = errand::backoff::uniform(1h)},
                                [this]() -> errand::awaitable<int> {
                                    diary_.lines.push_back("second");
                                    if (diary_.lines.size() < 4) throw std::runtime_error{"not yet"};
                                    co_return 22;
                                });
        co_return first + second;
    }

private:
    diary& diary_;
};

// Only for the tests that leave its bean out.
struct absent_bean {};
class needs_bean {
public:
    explicit needs_bean(absent_bean&) {}
    errand::awaitable<void> perform() { co_return; }
};

// The schedules that policies declare would count in most tests.
struct bench : harness {
    explicit bench(errand::testing::harness_options how = {}) : harness{without_policies(std::move(how))} {}
    static errand::testing::harness_options without_policies(errand::testing::harness_options how) {
        how.policy_schedules = false;
        return how;
    }
    diary& lines = app().provide<diary>();
};

}  // namespace harness_test

ERRAND_DECLARE_HANDLER(harness_test::send_receipt, .name = "send_receipt", .queue = "mail", .max_retry = 3)
ERRAND_DECLARE_HANDLER(harness_test::write_line, .name = "write_line")
ERRAND_DECLARE_HANDLER(harness_test::write_aside, .name = "write_aside", .queue = "aside", .blocking = true)
ERRAND_DECLARE_HANDLER(harness_test::refuse, .name = "refuse")
ERRAND_DECLARE_HANDLER(harness_test::nest, .name = "nest", .timeout = std::chrono::seconds{0})
ERRAND_DECLARE_HANDLER(harness_test::nap, .name = "nap")
ERRAND_DECLARE_HANDLER(harness_test::dawdle, .name = "dawdle", .timeout = std::chrono::minutes{10},
                       .max_retry = 0)
ERRAND_DECLARE_HANDLER(harness_test::wait_for, .name = "wait_for", .timeout = std::chrono::minutes{30},
                       .max_retry = 0)
ERRAND_DECLARE_HANDLER(harness_test::two_stages, .name = "two_stages", .timeout = std::chrono::hours{3},
                       .max_retry = 1)
ERRAND_DECLARE_HANDLER(harness_test::needs_bean, .name = "needs_bean")
