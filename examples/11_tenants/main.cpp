// A tenant that may have ten tasks queued: what is over that is refused, and submitted when there is room.
//   11_tenants                                         with its tasks in memory
//   ERRAND_STORE=redis://localhost:6379 11_tenants     or anywhere else; `errand quota` shows what is set
#include <errand/errand.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <optional>
#include <vector>

struct import_row {
    errand::awaitable<int> perform(int row) { co_return row; }
};

ERRAND_HANDLER(import_row)

// When the quota lets it.
errand::awaitable<void> submit_patiently(errand::app& app, int row) {
    for (;;) {
        std::optional<errand::duration> wait;
        try {
            co_await app.handler<import_row>().perform_async(row);
            co_return;
        } catch (const errand::quota_exceeded& e) {
            wait = e.retry_after();
            if (!wait) throw;  // waiting does not help
        }
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, *wait};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

// All at once; the rows that were refused.
errand::awaitable<std::vector<int>> submit_at_once(errand::app& app, std::vector<int> rows) {
    std::vector<int> refused;
    try {
        co_await app.handler<import_row>().perform_bulk(rows);
    } catch (const errand::bulk_error& e) {
        for (std::size_t at = 0; at < rows.size(); ++at) {
            if (e.errors()[at]) refused.push_back(rows[at]);
        }
    }
    co_return refused;
}

// How many attempts have ended, and how long nearly all of them took.
errand::awaitable<void> print_figures(errand::app& app) {
    auto seen = co_await app.inspect().figures();
    for (const auto& one : seen.handlers) {
        std::printf("%s: %lld runs, 99%% within %lld us\n", one.handler.c_str(),
                    static_cast<long long>(one.runs), static_cast<long long>(one.run.p99.count()));
    }
}

errand::awaitable<void> import_all(errand::app& app) {
    co_await app.set_quota({.max_queued = 10, .submit_rate = errand::per_second(1000)});
    std::vector<int> rows;
    for (int row = 0; row < 15; ++row) rows.push_back(row);
    const auto refused = co_await submit_at_once(app, rows);
    co_await app.start();
    for (const int row : refused) co_await submit_patiently(app, row);
    std::printf("tenants: %zu of %zu rows at once, %zu when there was room\n", rows.size() - refused.size(),
                rows.size(), refused.size());
    co_await app.stop();
    co_await print_figures(app);
}

int main() {
    errand::app app;
    app.block_on(import_all(app));
}
