// A quota of the namespace, over HTTP.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

using service_test::counter;

TEST_CASE("what the quota refuses is answered 429, with when to come again where that helps", "[service]") {
    counter t;
    t.run(t.app.set_quota({.max_queued = 2, .max_payload = 30}));
    auto at = t.connect();
    const auto large =
        at.ask("POST", t.path("/tasks"),
               R"({"handler": "parcel", "args": ["0123456789012345678901234567890123456789"]})");
    CHECK(large.status == 429);
    CHECK(large.error_code() == "quota_exceeded");
    CHECK_FALSE(large.headers.contains("retry-after"));
    const auto some =
        at.ask("POST", t.path("/tasks:batch"),
               R"({"tasks": [{"handler": "parcel"}, {"handler": "parcel"}, {"handler": "parcel"}]})");
    REQUIRE(some.status == 200);
    int refused = 0;
    const auto answer = some.json();
    for (const auto& one : answer.at("results").as_array()) {
        const auto* why = one.as_object().if_contains("error");
        if (!why) continue;
        ++refused;
        CHECK(why->at("code") == "quota_exceeded");
    }
    CHECK(refused == 1);
    const auto full = at.ask("POST", t.path("/tasks"), R"({"handler": "parcel"})");
    CHECK(full.status == 429);
    CHECK(full.error_code() == "quota_exceeded");
    REQUIRE(full.headers.contains("retry-after"));
    CHECK(full.headers.at("retry-after") == "1");
    CHECK(full.json().at("error").at("retry_after_ms").as_int64() > 0);
    CHECK_FALSE(large.json().at("error").as_object().contains("retry_after_ms"));
    CHECK(t.run(t.app.current_quota()).queued == 2);
}
