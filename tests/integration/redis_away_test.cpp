// An app whose Redis comes and goes.
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using errand::test::test_app;

namespace away {

struct repeats {
    errand::awaitable<std::string> perform(std::string text) { co_return text; }
};

}  // namespace away

ERRAND_HANDLER(away::repeats)

namespace {
using namespace away;
}

TEST_CASE("An app outlives a store that was not there at first", "[edges]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.store_timeout = 2s;
    server.kill();
    test_app t{settings};
    CHECK_THROWS_AS(t.run(t.app.handler<repeats>().perform_async("x")), errand::store_error);
    CHECK_THROWS_AS(t.start(), errand::store_error);
    server.restart();
    t.start();
    CHECK(t.wait(t.run(t.app.handler<repeats>().perform_async("x"))) == "x");
}
