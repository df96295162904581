// A heartbeat: a run each half second, whichever worker fires it, and none twice.
//
//   08_schedule work        a worker until SIGTERM; each run says its tick, its id and its attempt
//   08_schedule begin       declares the schedule
//   08_schedule end         cancels it, and says how many runs it has made
//
// ERRAND_STORE names the store that they share.
#include <errand/errand.hpp>

#include "../shared_store.hpp"

#include <cstdio>
#include <string>

using namespace std::chrono_literals;

class heartbeat {
public:
    errand::awaitable<void> perform(std::string what) {
        auto& self = co_await errand::this_task();
        const auto tick = self.schedule()->tick().time_since_epoch();
        std::printf("%s %lld %s %d\n", what.c_str(), static_cast<long long>(tick.count()), self.id().c_str(),
                    self.attempt());
        std::fflush(stdout);
    }
};
ERRAND_HANDLER(heartbeat)

// The same however often it is called: the key says which schedule is meant.
errand::awaitable<errand::schedule> declare(errand::app& app) {
    co_return co_await app.handler<heartbeat>().every(
        500ms, {.key = "example", .mode = errand::fixed_rate, .missed = errand::missed_rule::run_all},
        "beat");
}

errand::awaitable<void> end(errand::app& app) {
    const auto beats = co_await declare(app);
    co_await beats.cancel();
    std::printf("%lld runs\n", static_cast<long long>((co_await beats.info()).runs));
}

int main(int count, char** words) try {
    const std::string verb = count == 2 ? words[1] : "";
    errand::app app{shared_store()};
    if (verb == "work") return app.run();
    if (verb == "begin") return app.block_on(declare(app)), 0;
    if (verb == "end") return app.block_on(end(app)), 0;
    return std::fputs("08_schedule work|begin|end\n", stderr), 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "08_schedule: %s\n", e.what());
    return 1;
}
