// misled [collect|run]: a worker whose handlers cannot be meant: with `collect` one gathers its items for ever; where the machine has no
// time zone files another one's line has no times. It stops at once where it may start; with `run` it does nothing about what is wrong.
#include <errand/errand.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

bool gathers_for_ever = false;

errand::collect_rule chosen_rule() {
    errand::collect_rule rule{.max_size = 5};
    if (!gathers_for_ever) rule.grace = 1s;
    return rule;
}

}  // namespace

struct gathers {
    errand::awaitable<void> perform(std::vector<int>) { co_return; }
};
ERRAND_HANDLER(gathers, .name = "gathers", .collect = chosen_rule())

struct in_london {
    errand::awaitable<void> perform() { co_return; }
};
ERRAND_HANDLER(in_london, .name = "in_london", .cron = "0 3 * * *", .timezone = "Europe/London")

int main(int count, char** words) try {
    gathers_for_ever = count > 1 && std::string{words[1]} == "collect";
    errand::app app;
    if (count > 1 && std::string{words[1]} == "run") return app.run();
    app.block_on(app.start());
    app.block_on(app.stop());
    std::puts("has started");
    return 0;
} catch (const errand::usage_error& e) {
    std::printf("%s\n", e.what());
    return 1;
}
