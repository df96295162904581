#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace harness_test;

TEST_CASE("a harness that encrypts runs tasks as one that does not") {
    errand::testing::harness_options how;
    how.settings.encryption_keys = "k1:" + std::string(64, '1');
    harness t{how};
    diary lines;
    t.app().provide_ref<diary>(lines);
    const auto h = t.run(t.app().handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    CHECK(t.run(h.info()).encrypted_with == "k1");
    CHECK(t.drain() == 1);
    CHECK(t.run(h).url == "https://shop.example/o-1");
    CHECK(t.run(t.app().handler<write_line>().every(1h, {.key = "hourly"}, std::string{"tick"})).id() != "");
    CHECK(t.advance(3h) >= 3);
    CHECK(std::ranges::count(lines.lines, "tick") >= 3);
}
