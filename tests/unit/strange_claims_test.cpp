// Claims of other processes, as Redis knows them.
#include "store/redis/claim_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace errand::redis;

TEST_CASE("a claim goes by the mark of the process that made it, and by this one's when none was said") {
    strange_claims strange;
    CHECK(strange.text_of(7) == claim_text(7));
    strange.know(7, "0123abcd");
    CHECK(strange.text_of(7) == "7:0123abcd");
    CHECK(strange.text_of(8) == claim_text(8));
    // Two processes may have given the same number; who is spoken of last is meant.
    strange.know(7, process_mark().substr(1));
    CHECK(strange.text_of(7) == claim_text(7));
    strange.know(7, "0123abcd");
    for (errand::claim_number claim = 1'000; claim < 60'000; ++claim) strange.know(claim, "ffffffff");
    CHECK(strange.text_of(7) == "7:0123abcd");
    CHECK(strange.text_of(59'999) == "59999:ffffffff");
    for (errand::claim_number claim = 60'000; claim < 160'000; ++claim) strange.know(claim, "ffffffff");
    CHECK(strange.text_of(7) == claim_text(7));
}
