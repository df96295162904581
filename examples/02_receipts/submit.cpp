// Submits orders and checks their receipts. The store may go away meanwhile: the business id makes it safe to
// submit an order again when it is not known whether the first time arrived.
#include "submit.hpp"

#include "receipts.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t batch = 50;
constexpr int lanes = 8;
// The store has been repeating for its own store_timeout each time before it says that it is away.
constexpr int most_failures = 60;

class run_of_orders {
public:
    run_of_orders(errand::app& app, order_run what)
        : receipts_{app.handler<send_receipt>()}, what_{std::move(what)} {}

    errand::awaitable<tally> go() {
        co_await all_lanes(lanes);
        co_return tally_;
    }

private:
    using clock = asio::steady_timer::clock_type;
    using receipt_handle = errand::handle<receipt>;

    errand::awaitable<void> all_lanes(int count) {
        if (count > 1) {
            co_await (lane() && all_lanes(count - 1));
        } else {
            co_await lane();
        }
    }

    errand::awaitable<void> lane() {
        while (next_ < what_.orders) {
            const std::size_t first = next_;
            next_ = std::min(what_.orders, next_ + batch);
            std::vector<order> orders;
            for (std::size_t i = first; i < next_; ++i) orders.push_back(order_number(i + 1));
            if (what_.per_second > 0) co_await until(begin_ + 1000ms * first / what_.per_second);
            co_await one_batch(first, orders);
        }
    }

    errand::awaitable<void> one_batch(std::size_t first, const std::vector<order>& orders) {
        // Every other batch is for later, as if its mails had to wait for the night.
        const auto later = receipts_.with({.delay = 100ms});
        const auto handles = co_await submit_all(first / batch % 2 == 0 ? receipts_ : later, orders);
        tally_.submitted += orders.size();
        for (std::size_t i = 0; i < orders.size(); ++i) {
            if ((first + i + 1) % 10 == 0) co_await submit_again(orders[i]);
            co_await check(orders[i], handles[i]);
        }
    }

    errand::awaitable<std::vector<receipt_handle>> submit_all(errand::proxy<send_receipt> to,
                                                              const std::vector<order>& orders) {
        for (;;) {
            std::string why;
            try {
                co_return co_await to.perform_bulk(orders);
            } catch (const errand::store_error& e) {
                why = e.what();
            } catch (const errand::bulk_error& e) {
                why = e.what();
            }
            co_await after_failure(why);
        }
    }

    // Somebody presses the button twice: the second time must run nothing.
    errand::awaitable<void> submit_again(const order& o) {
        const auto second = co_await submit_one(o);
        ++(second.duplicate() ? tally_.duplicates : tally_.wrong);
    }

    errand::awaitable<receipt_handle> submit_one(const order& o) {
        for (;;) {
            std::string why;
            try {
                co_return co_await receipts_.perform_async(o);
            } catch (const errand::store_error& e) {
                why = e.what();
            }
            co_await after_failure(why);
        }
    }

    errand::awaitable<void> check(const order& o, receipt_handle task) {
        for (;;) {
            std::string why;
            try {
                const receipt got = co_await task;
                const bool right = got.order_id == o.id && got.url == mailer::url_of(o);
                ++(right ? tally_.success : tally_.wrong);
                failures_ = 0;
                co_return;
            } catch (const errand::store_error& e) {
                why = e.what();
            } catch (const errand::task_failed& e) {
                std::fprintf(stderr, "receipts: %s: %s\n", o.id.c_str(), e.what());
                ++tally_.wrong;
                co_return;
            }
            co_await after_failure(why);
            task = co_await submit_one(o);
        }
    }

    order order_number(std::size_t number) const {
        order o{what_.prefix + std::to_string(number), static_cast<std::int64_t>(number * 31 % 9973), {}};
        if (number % 5 == 0) o.coupon = "welcome";
        return o;
    }

    errand::awaitable<void> after_failure(std::string why) {
        if (++failures_ == most_failures) throw errand::store_error{why};
        std::fprintf(stderr, "receipts: trying again: %s\n", why.c_str());
        co_await until(clock::now() + 200ms);
    }

    static errand::awaitable<void> until(clock::time_point when) {
        asio::steady_timer timer{co_await asio::this_coro::executor, when};
        co_await timer.async_wait(asio::use_awaitable);
    }

    errand::proxy<send_receipt> receipts_;
    const order_run what_;
    tally tally_;
    std::size_t next_ = 0;
    const clock::time_point begin_ = clock::now();
    int failures_ = 0;  // since the last receipt
};

}  // namespace

errand::awaitable<tally> submit_orders(errand::app& app, order_run what) {
    run_of_orders orders{app, std::move(what)};
    co_return co_await orders.go();
}
