// The handlers that the tests of limits run, and the bean in which they write down how many of them ran at once.
#pragma once

#include <errand/errand.hpp>

#include "support/sleep.hpp"
#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace limits_test {

using namespace std::chrono_literals;
using errand::state;

inline const errand::limit crm{"crm-api", {.max_running = 2}};
inline const errand::limit slow_api{"slow-api", {.rate = errand::per_second(10)}};

struct tally {
    void begin(const std::string& what) {
        std::lock_guard lock{guard};
        most[what] = std::max(most[what], ++running[what]);
        order.push_back(what);
    }
    void end(const std::string& what) {
        std::lock_guard lock{guard};
        --running[what];
        ++ended[what];
    }
    int now(const std::string& what) {
        std::lock_guard lock{guard};
        return running[what];
    }
    int most_at_once(const std::string& what) {
        std::lock_guard lock{guard};
        return most[what];
    }
    int done(const std::string& what) {
        std::lock_guard lock{guard};
        return ended[what];
    }
    std::vector<std::string> begun() {
        std::lock_guard lock{guard};
        return order;
    }

    void say(const std::string& word) {
        std::lock_guard lock{guard};
        words.push_back(word);
    }
    std::vector<std::string> said() {
        std::lock_guard lock{guard};
        return words;
    }

    std::atomic<bool> release{false};
    std::mutex guard;
    std::vector<std::string> words;
    std::map<std::string, int> running, most, ended;
    std::vector<std::string> order;
};

// Counted under a name from its beginning to its end, however it ends.
class counted {
public:
    counted(tally& in, std::string what) : in_{in}, what_{std::move(what)} { in_.begin(what_); }
    ~counted() { in_.end(what_); }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

private:
    tally& in_;
    std::string what_;
};

using errand::test::sleep;

struct handler_with_tally {
    tally& in;
    explicit handler_with_tally(tally& t) : in{t} {}
    // Until the test says so.
    errand::awaitable<void> hold(std::string what) {
        const counted here{in, std::move(what)};
        while (!in.release) co_await sleep(1ms);
    }
};

// At most two at once.
struct pair_of : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform(int) {
        const counted here{in, "pair"};
        co_await sleep(1ms);
    }
};

// One at a time, until it is released.
struct single : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform() { return hold("single"); }
};

// What it is told to do, one at a time.
struct moody : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<int> perform(std::string mood) {
        auto& self = co_await errand::this_task();
        const counted here{in, "moody"};
        if (mood == "fails once" && self.attempt() == 1) throw std::runtime_error{"not yet"};
        if (mood == "dies") throw errand::discard{"no more"};
        if (mood == "snoozes" && in.done("moody") == 0) throw errand::snooze{50ms};
        if (mood == "lingers") co_await sleep(1h);
        co_return self.attempt();
    }
};

// One at a time of each customer.
struct visit : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    static std::string concurrency_key(const std::string& customer, int) { return customer; }
    errand::awaitable<void> perform(std::string customer, int number) {
        const counted here{in, customer};
        in.begin(customer + std::to_string(number));
        while (customer == "held" && !in.release) co_await sleep(1ms);
        co_await sleep(1ms);
    }
};

// Five a second of each sender.
struct post : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    static std::string rate_key(const std::string& sender) { return sender; }
    errand::awaitable<void> perform(std::string sender) {
        const counted here{in, sender};
        co_return;
    }
};

// Two handlers of one vendor's API.
struct read_crm : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform() { return hold("crm"); }
};
struct write_crm : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform() { return hold("crm"); }
};

struct call_slowly : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    // Says by which claim it was started: a number that is the store's time (us), or greater.
    errand::awaitable<void> perform(int) {
        const counted here{in, "slow"};
        auto& self = co_await errand::this_task();
        in.say(std::to_string(self.fence()));
    }
};

// Not limited itself: it says which visits it submits in a stage, and fails there at first.
struct foreman {
    foreman(tally& t, errand::proxy<visit> v) : in{t}, visits{v} {}
    errand::awaitable<void> perform(int count) {
        auto& self = co_await errand::this_task();
        co_await self.stage("visits", [&]() -> errand::awaitable<void> {
            for (int i = 0; i < count; ++i) {
                const auto child = co_await visits.perform_async("of a foreman", i);
                in.say(child.id());
            }
            if (self.attempt() == 1) throw std::runtime_error{"once more"};
        });
    }
    tally& in;
    errand::proxy<visit> visits;
};

// One at a time, each waits for the next one.
struct nest : handler_with_tally {
    nest(tally& t, errand::proxy<nest> n) : handler_with_tally{t}, next{n} {}
    errand::awaitable<int> perform(int depth) {
        std::optional<errand::handle<int>> h;
        {
            const counted here{in, "nest"};
            co_await sleep(1ms);
            if (depth == 0) co_return 0;
            h = co_await next.perform_async(depth - 1);
        }
        const auto below = co_await *h;
        const counted here{in, "nest"};
        co_await sleep(1ms);
        co_return below + 1;
    }
    errand::proxy<nest> next;
};

// One of several that wait for two tasks each which have the limit of theirs, at the same time and one after the other.
struct gather : handler_with_tally {
    gather(tally& t, errand::proxy<nest> n, errand::proxy<read_crm> r)
        : handler_with_tally{t}, nests{n}, reads{r} {}
    errand::awaitable<void> perform() {
        std::vector<errand::handle<void>> all;
        {
            const counted here{in, "crm"};
            for (int i = 0; i < 2; ++i) all.push_back(co_await reads.perform_async());
        }
        co_await errand::all(all);
        {
            const counted here{in, "crm"};
            co_await sleep(1ms);
        }
        co_await co_await nests.perform_async(1);
        const counted here{in, "crm"};
        co_await sleep(1ms);
    }
    errand::proxy<nest> nests;
    errand::proxy<read_crm> reads;
};

// Waits for one of its own kind until that has started, and not for its result. Who gives up before has its place again, and gives it
// once more, for longer.
struct impatient : handler_with_tally {
    impatient(tally& t, errand::proxy<impatient> n) : handler_with_tally{t}, next{n} {}
    errand::awaitable<void> perform(bool first) {
        if (!first) {
            co_await hold("impatient");
            co_return;
        }
        const auto h = co_await next.perform_async(false);
        in.say(h.id());
        for (errand::duration patience{1}; in.begun().empty(); patience *= 2) {
            try {
                co_await h.result(patience);
            } catch (const errand::timed_out&) {
            }
        }
        const counted here{in, "impatient"};
        in.say("goes on");
    }
    errand::proxy<impatient> next;
};

struct nightly {
    errand::awaitable<void> perform() { co_return; }
};

// No limit says where it stands.
struct monthly {
    errand::awaitable<void> perform() { co_return; }
};

struct bench : errand::test::test_app {
    explicit bench(errand::config settings = errand::test::fresh_settings())
        : test_app{std::move(settings)}, in{app.provide<tally>()} {}

    errand::limit_info limit(const std::string& name) {
        for (auto& one : run(app.limits())) {
            if (one.name == name) return one;
        }
        return {};
    }
    template <class T>
    void all_end(const std::vector<errand::handle<T>>& handles) {
        for (const auto& h : handles) wait(h);
    }

    tally& in;
};

}  // namespace limits_test

ERRAND_DECLARE_HANDLER(limits_test::pair_of, .name = "pair_of", .max_running = 2)
ERRAND_DECLARE_HANDLER(limits_test::single, .name = "single", .max_running = 1)
ERRAND_DECLARE_HANDLER(limits_test::moody, .name = "moody",
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{20}), .max_running = 1)
ERRAND_DECLARE_HANDLER(limits_test::visit, .name = "visit", .max_running = 1)
ERRAND_DECLARE_HANDLER(limits_test::post, .name = "post", .rate = errand::per_second(5))
ERRAND_DECLARE_HANDLER(limits_test::foreman, .name = "foreman",
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{20}))
ERRAND_DECLARE_HANDLER(limits_test::nightly, .name = "nightly", .max_running = 1, .cron = "0 3 * * *")
ERRAND_DECLARE_HANDLER(limits_test::monthly, .name = "monthly", .cron = "0 4 1 * *")
ERRAND_DECLARE_HANDLER(limits_test::nest, .name = "nest", .max_running = 1)
ERRAND_DECLARE_HANDLER(limits_test::impatient, .name = "impatient", .max_running = 1)
ERRAND_DECLARE_HANDLER(limits_test::read_crm, .name = "read_crm", .limits = {"crm-api"})
ERRAND_DECLARE_HANDLER(limits_test::write_crm, .name = "write_crm", .limits = {"crm-api"})
ERRAND_DECLARE_HANDLER(limits_test::gather, .name = "gather", .limits = {"crm-api"})
ERRAND_DECLARE_HANDLER(limits_test::call_slowly, .name = "call_slowly", .limits = {"slow-api"})
