// Readings of meters come one by one, and are written to a database that takes a hundred as quickly as one.
//   10_collect                                         with its tasks in memory
//   ERRAND_STORE=redis://localhost:6379 10_collect     or anywhere else, for any number of workers
#include <errand/errand.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

using namespace std::chrono_literals;

struct reading {
    std::string meter;
    double value = 0;
};

// Counts what is written, and how often.
struct archive {
    void write(std::size_t rows) {
        std::lock_guard lock{guard};
        ++writes;
        written += rows;
        most = std::max(most, rows);
    }
    std::mutex guard;
    std::size_t writes = 0, written = 0, most = 0;
};

class store_readings {
public:
    explicit store_readings(archive& a) : archive_{a} {}

    errand::awaitable<std::vector<std::string>> perform(std::vector<reading> all) {
        auto& self = co_await errand::this_task();
        std::vector<std::string> receipts;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].value < 0) self.fail_item(i, "a meter does not run backwards");
            receipts.push_back(all[i].meter + " stored");
        }
        archive_.write(all.size());
        co_return receipts;  // one for each, in their order
    }
    static std::string collect_key(const reading& one) { return one.meter.substr(0, 1); }

private:
    archive& archive_;
};
ERRAND_HANDLER(store_readings, .max_retry = 0,
               .collect = errand::collect_rule{.max_size = 100, .max_wait = 5s, .grace = 200ms})

errand::awaitable<void> send_readings(errand::app& app) {
    auto readings = app.handler<store_readings>();
    std::vector<reading> all;
    for (int i = 0; i < 250; ++i) all.push_back({"north-" + std::to_string(i), 1.0 * i});
    auto stored = co_await readings.perform_bulk(all);
    auto wrong = co_await readings.perform_async(reading{"south-1", -1});
    co_await app.start();
    for (auto& one : stored) co_await one;  // "north-0 stored", …
    try {
        co_await wrong;
    } catch (const errand::task_failed&) {
        std::printf("a wrong one failed by itself\n");
    }
    co_await app.stop();
}

int main() try {
    errand::app app;
    auto& kept = app.provide<archive>();
    app.block_on(send_readings(app));
    const bool few = kept.writes < 10 && kept.most <= 100;
    std::printf("collect: %zu readings in %s writes\n", kept.written, few ? "few" : "many");
    return few ? 0 : 1;
} catch (const errand::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
