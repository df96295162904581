// A vendor's API that takes 20 calls a second and 4 at once: two handlers share it, and no customer waits for another one's pile.
//   09_limits                                         with its tasks in memory
//   ERRAND_STORE=redis://localhost:6379 09_limits     or anywhere else, for any number of workers
#include <errand/errand.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

using namespace std::chrono_literals;

// Refuses what is too much, as vendors do: each call takes one of ten that may come at once, and twenty a second come back. Calls
// that start at an even pace arrive a little sooner or later, and that is what the ten are for.
class vendor {
public:
    static constexpr double at_most = 10, a_second = 20;

    errand::awaitable<void> call(std::string customer) {
        begin(std::move(customer));
        boost::asio::steady_timer answer{co_await boost::asio::this_coro::executor, 20ms};
        co_await answer.async_wait(boost::asio::use_awaitable);
        end();
    }

    int refused() {
        std::lock_guard lock{guard_};
        return refused_;
    }
    // From the first call to the last one.
    double seconds() {
        std::lock_guard lock{guard_};
        return std::chrono::duration<double>(last_ - first_).count();
    }
    // How many calls there were before the last one for this customer.
    std::ptrdiff_t calls_until_last_of(const std::string& customer) {
        std::lock_guard lock{guard_};
        return calls_.rend() - std::find(calls_.rbegin(), calls_.rend(), customer);
    }

private:
    void begin(std::string customer) {
        std::lock_guard lock{guard_};
        const auto now = std::chrono::steady_clock::now();
        if (calls_.empty()) first_ = last_ = now;
        left_ = std::min(at_most, left_ + a_second * std::chrono::duration<double>(now - last_).count());
        last_ = now;
        calls_.push_back(std::move(customer));
        if (++at_once_ > 4 || left_ < 1)
            ++refused_;
        else
            --left_;
    }
    void end() {
        std::lock_guard lock{guard_};
        --at_once_;
    }

    std::mutex guard_;
    std::chrono::steady_clock::time_point first_, last_;
    double left_ = at_most;
    std::vector<std::string> calls_;
    int at_once_ = 0;
    int refused_ = 0;
};

inline const errand::limit vendor_api{"vendor-api", {.max_running = 4, .rate = errand::per_second(20)}};

// The orders of a customer one after the other, those of several customers in turns.
class send_order {
public:
    explicit send_order(vendor& v) : vendor_{v} {}
    errand::awaitable<void> perform(std::string customer, int /*order*/) { return vendor_.call(customer); }
    static std::string concurrency_key(const std::string& customer, int /*order*/) { return customer; }

private:
    vendor& vendor_;
};
ERRAND_HANDLER(send_order, .max_running = 1, .limits = {"vendor-api"})

class read_stock {
public:
    explicit read_stock(vendor& v) : vendor_{v} {}
    errand::awaitable<void> perform(int /*article*/) { return vendor_.call("(stock)"); }

private:
    vendor& vendor_;
};
ERRAND_HANDLER(read_stock, .limits = {"vendor-api"})

errand::awaitable<void> call_vendor(errand::app& app) {
    std::vector<errand::handle<void>> all;
    auto orders = app.handler<send_order>();
    for (int i = 0; i < 40; ++i) all.push_back(co_await orders.perform_async("large", i));
    for (int i = 0; i < 4; ++i) all.push_back(co_await orders.perform_async("small", i));
    auto stock = app.handler<read_stock>();
    for (int i = 0; i < 4; ++i) all.push_back(co_await stock.perform_async(i));
    co_await app.start();
    co_await errand::all(all);
    co_await app.stop();
}

int main() try {
    errand::app app;
    auto& called = app.provide<vendor>();
    app.block_on(call_vendor(app));
    const bool fair = called.calls_until_last_of("small") <= 20;
    std::printf("limits: 48 calls in %.1f s, %d refused, the small customer %s\n", called.seconds(),
                called.refused(), fair ? "did not wait for the large one" : "waited for the large one");
    return fair ? 0 : 1;
} catch (const errand::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
