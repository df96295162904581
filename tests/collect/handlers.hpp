// The handlers that the tests of collecting run, and the bean in which they write down what they were given.
#pragma once

#include <errand/errand.hpp>

#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace collect_test {

using namespace std::chrono_literals;
using errand::state;
using errand::test::eventually;

struct fact {
    std::string subject;
    int number = 0;
};

// What runs were made, each with the numbers that it was given.
struct ledger {
    void add(std::vector<int> numbers) {
        std::lock_guard lock{guard};
        runs.push_back(std::move(numbers));
    }
    std::vector<std::vector<int>> made() {
        std::lock_guard lock{guard};
        return runs;
    }
    std::vector<std::size_t> sizes() {
        std::vector<std::size_t> all;
        for (const auto& one : made()) all.push_back(one.size());
        return all;
    }

    std::atomic<int> failing{0};    // so many runs throw
    std::atomic<bool> held{false};  // runs of `crowd` go on for so long
    std::atomic<int> at_once{0}, most_at_once{0};
    std::mutex guard;
    std::vector<std::vector<int>> runs;
};

// Of all apps of the program: on_dead has no beans.
struct obituaries {
    void add(const errand::task_info& task) {
        std::lock_guard lock{guard};
        told.push_back(task);
    }
    std::vector<errand::task_info> of(const std::string& id) {
        std::lock_guard lock{guard};
        std::vector<errand::task_info> found;
        for (const auto& one : told) {
            if (one.id == id) found.push_back(one);
        }
        return found;
    }
    std::mutex guard;
    std::vector<errand::task_info> told;
};
inline obituaries died;

// By subject; with a result for each.
struct digest {
    ledger& book;
    explicit digest(ledger& b) : book{b} {}
    static std::string collect_key(const fact& one) { return one.subject; }
    static std::string biz_id(const fact& one) { return one.subject + std::to_string(one.number); }

    errand::awaitable<std::vector<std::string>> perform(std::vector<fact> facts) {
        auto& self = co_await errand::this_task();
        std::vector<int> numbers;
        for (const auto& one : facts) numbers.push_back(one.number);
        book.add(numbers);
        if (book.failing > 0) {
            --book.failing;
            throw std::runtime_error{"not now"};
        }
        std::vector<std::string> results;
        for (std::size_t at = 0; at < facts.size(); ++at) {
            if (facts[at].number < 0) self.fail_item(at, "a negative one");
            results.push_back(facts[at].subject + '/' + std::to_string(facts[at].number));
        }
        co_return results;
    }
};

// A hundred at a time, or none for an hour.
struct hundred {
    ledger& book;
    explicit hundred(ledger& b) : book{b} {}
    errand::awaitable<void> perform(std::vector<int> numbers) {
        book.add(numbers);
        co_return;
    }
};

// A hundred at a time, or what there is when nothing has come for a while.
struct hundred_or_rest : hundred {
    using hundred::hundred;
};

// Two at a time, or none for an hour; gives too few results for the number 13.
struct pairs {
    ledger& book;
    explicit pairs(ledger& b) : book{b} {}
    errand::awaitable<std::vector<int>> perform(std::vector<int> numbers) {
        book.add(numbers);
        if (book.failing > 0) {
            --book.failing;
            throw std::runtime_error{"not now"};
        }
        if (numbers.front() == 13) numbers.pop_back();
        co_return numbers;
    }
};

// Three at a time, or what has come at once; one run at a time.
struct crowd {
    ledger& book;
    explicit crowd(ledger& b) : book{b} {}
    errand::awaitable<void> perform(std::vector<int> numbers) {
        book.add(numbers);
        const int now = ++book.at_once;
        if (now > book.most_at_once) book.most_at_once = now;
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor};
        do {
            timer.expires_after(1ms);
            co_await timer.async_wait(boost::asio::use_awaitable);
        } while (book.held);
        --book.at_once;
    }
};

// Two at a time, on the pool; a run that has 13 among its numbers is dead, and a negative item by itself.
struct mourned {
    ledger& book;
    explicit mourned(ledger& b) : book{b} {}
    errand::awaitable<void> perform(std::vector<int> numbers) {
        auto& self = co_await errand::this_task();
        book.add(numbers);
        for (std::size_t at = 0; at < numbers.size(); ++at) {
            if (numbers[at] == 13) throw std::runtime_error{"thirteen"};
            if (numbers[at] < 0) self.fail_item(at, "a negative one");
        }
    }
    static void on_dead(const errand::task_info& task) { died.add(task); }
};

struct plain_list {
    errand::awaitable<int> perform(std::vector<int> numbers) {
        co_return std::accumulate(numbers.begin(), numbers.end(), 0);
    }
};
struct plain_vector {
    errand::awaitable<void> perform(std::vector<int>) { co_return; }
};
struct tells_of_items {
    errand::awaitable<void> perform() {
        auto& self = co_await errand::this_task();
        self.fail_item(0, "there is none");
    }
};

struct office : errand::test::test_app {
    explicit office(errand::config settings = errand::test::fresh_settings())
        : test_app{std::move(settings)}, book{app.provide<ledger>()} {}
    ~office() { stop(); }

    template <class H, class... A>
    auto send(A&&... args) {
        return run(app.handler<H>().perform_async(std::forward<A>(args)...));
    }
    auto send_fact(std::string subject, int number) { return send<digest>(fact{std::move(subject), number}); }
    bool waits(const auto& h) { return info(h).state == state::waiting; }
    // Once it is in a bundle: the task that runs that.
    std::string carrier_of(const auto& h) {
        eventually([&] { return waits(h); });
        const auto waits_for = info(h).waits_for;
        return waits_for.empty() ? std::string{} : waits_for.front();
    }
    state state_of(const std::string& id) {
        const auto found = run(app.inspect().find(id));
        return found ? found->state : state::success;
    }
    ledger& book;
};

inline std::vector<int> sorted(std::vector<int> all) {
    std::ranges::sort(all);
    return all;
}

}  // namespace collect_test

ERRAND_HANDLER(collect_test::digest, .max_retry = 1,
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{5}),
               .on_duplicate = errand::replace,
               .collect = errand::collect_rule{.max_size = 3, .grace = std::chrono::milliseconds{30}})
ERRAND_HANDLER(collect_test::hundred,
               .collect = errand::collect_rule{.max_size = 100, .max_wait = std::chrono::hours{1}})
ERRAND_HANDLER(collect_test::hundred_or_rest,
               .collect = errand::collect_rule{.max_size = 100, .grace = std::chrono::milliseconds{1500}})
ERRAND_HANDLER(collect_test::pairs, .max_retry = 1,
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{5}),
               .collect = errand::collect_rule{.max_size = 2, .max_wait = std::chrono::hours{1}})
ERRAND_HANDLER(collect_test::crowd, .max_running = 1,
               .collect = errand::collect_rule{.max_size = 3, .grace = std::chrono::milliseconds{1}})
ERRAND_HANDLER(collect_test::mourned, .max_retry = 0, .blocking = true,
               .collect = errand::collect_rule{.max_size = 2, .max_wait = std::chrono::hours{1}})
ERRAND_HANDLER(collect_test::plain_list)
ERRAND_HANDLER(collect_test::plain_vector)
ERRAND_HANDLER(collect_test::tells_of_items, .max_retry = 0)
