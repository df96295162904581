// `errand handlers` and `errand configure`, run as a program.
#include "cli/office.hpp"
#include "cli/settings_text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::office;

namespace {

const boost::json::value& handler_of(const boost::json::value& answer, std::string_view name) {
    for (const auto& one : answer.at("handlers").as_array()) {
        if (one.at("name").as_string() == name) return one;
    }
    throw std::runtime_error{"no such handler is listed"};
}

}  // namespace

TEST_CASE("what is set of a handler is changed key by key, shown and taken back", "[cli]") {
    office t;
    CHECK(t.errand({"configure", "mail"}).out == "mail: nothing is set\n");
    const auto first = t.answer({"configure", "mail", "max_retry=3", "timeout=5m", "--by", "ann"});
    CHECK(first.at("handler").as_string() == "mail");
    CHECK(first.at("version") == 1);
    CHECK(first.at("by").as_string() == "ann");
    CHECK(first.at("settings").at("max_retry") == 3);
    CHECK(first.at("settings").at("timeout_ms") == 300'000);
    CHECK(first.at("settings").at("priority").is_null());
    CHECK(t.errand({"configure", "mail", "paused=true", "backoff=exponential:10s:1h", "timeout="}).out ==
          "mail: max_retry=3 backoff=exponential:10s:1h paused=true\n");
    const auto set = t.run(t.app.settings_of("mail"));
    CHECK(set.version == 2);
    CHECK(set.settings.paused);
    CHECK(t.errand({"configure", "mail", "--clear", "retention=7d", "expires_after=0s"}).out ==
          "mail: retention=7d expires_after=0ms\n");
    CHECK(t.errand({"configure", "mail", "--clear"}).out == "mail: nothing is set\n");
    CHECK(t.run(t.app.settings_of("mail")).version == 4);
}

TEST_CASE("what is set of a handler may be a limit, and what programs over HTTP are told", "[cli]") {
    office t;
    CHECK(
        t.errand({"configure", "chore", "max_running=2", "rate=10/s:5", "batch=20", "interval=250ms"}).out ==
        "chore: max_running=2 rate=10/s:5 batch=20 interval=250ms\n");
    const auto set = t.answer({"configure", "chore"}).at("settings");
    CHECK(set.at("max_running") == 2);
    CHECK(set.at("rate").at("count") == 10);
    CHECK(set.at("rate").at("burst") == 5);
    CHECK(set.at("batch") == 20);
    CHECK(set.at("interval_ms") == 250);
    CHECK_THAT(t.errand({"handlers"}).out, ContainsSubstring("10/s:5*"));
    const auto limits = t.answer({"limits"}).at("limits").as_array();
    REQUIRE(limits.size() == 1);
    CHECK(limits[0].at("name") == "handler:chore");
    CHECK(limits[0].at("rule").at("max_running") == 2);
    for (const auto* word : {"rate=10", "rate=10/s:0", "rate=10/s:x"}) {
        CHECK_THAT(t.errand({"configure", "chore", word}).err,
                   ContainsSubstring("is no rate; write starts and a time"));
    }
    CHECK_THAT(t.errand({"configure", "chore", "batch=0"}).err,
               ContainsSubstring(".batch = 0: must be 1..1000"));
    CHECK(t.errand({"configure", "chore", "max_running=", "rate=", "batch=", "interval="}).out ==
          "chore: nothing is set\n");
    CHECK_FALSE(ContainsSubstring("batch").match(t.errand({"handlers"}).out));
}

TEST_CASE("settings that cannot be read are refused in a sentence, and nothing is changed", "[cli]") {
    office t;
    const auto refused = [&](const std::string& word) {
        const auto got = t.errand({"configure", "mail", "max_retry=1", word});
        CHECK(got.code == 2);
        return got.err;
    };
    CHECK_THAT(refused("max_rety=3"), ContainsSubstring("did you mean max_retry?"));
    CHECK_THAT(refused("colour=red"), ContainsSubstring("what can be is max_retry, timeout, "));
    CHECK_THAT(refused("max_retry"), ContainsSubstring("write key=value"));
    CHECK_THAT(refused("max_retry=many"), ContainsSubstring("max_retry: \"many\" is no whole number"));
    CHECK_THAT(refused("max_retry=-1"), ContainsSubstring(".max_retry = -1: must be 0..1000000"));
    CHECK_THAT(refused("timeout=5"), ContainsSubstring("timeout: \"5\" is no length of time"));
    CHECK_THAT(refused("backoff=linear"), ContainsSubstring("write polynomial, exponential:10s:1h"));
    CHECK_THAT(refused("paused=yes"), ContainsSubstring("neither true nor false"));
    CHECK_THAT(refused("priority=10"), ContainsSubstring("must be 0..9"));
    CHECK(t.errand({"configure"}).code == 2);
    CHECK(t.run(t.app.settings_of("mail")).version == 0);
}

TEST_CASE("handlers are listed that workers have or of which something is set", "[cli]") {
    office t;
    t.errand({"configure", "elsewhere", "max_retry=7", "--by", "ann"});
    const auto before = t.answer({"handlers"});
    CHECK(handler_of(before, "elsewhere").at("in_force").is_null());
    CHECK(handler_of(before, "elsewhere").at("workers").as_array().empty());
    t.errand({"configure", "chore", "priority=4", "paused=true"});
    t.app.block_on(t.app.start());
    boost::json::value now;
    errand::test::eventually([&] {
        now = t.answer({"handlers"});
        return !handler_of(now, "chore").at("workers").as_array().empty();
    });
    const auto& chore = handler_of(now, "chore");
    CHECK(chore.at("workers").as_array().size() == 1);
    CHECK(chore.at("settings").at("priority") == 4);
    CHECK(chore.at("in_force").at("priority") == 4);
    CHECK(chore.at("in_force").at("paused") == true);
    CHECK(chore.at("in_force").at("timeout_ms") == 1'800'000);
    CHECK_THAT(t.errand({"handlers"}).out, ContainsSubstring("4*") && ContainsSubstring("elsewhere"));
    CHECK_THAT(t.errand({"handlers", "--names"}).out, ContainsSubstring("chore\n"));
    const auto waits = t.submit(1);
    t.all_are(errand::state::delayed, 1);
    CHECK_THAT(
        t.errand({"show", waits.id()}).out,
        ContainsSubstring("stands aside: its handler chore is paused: errand configure chore paused="));
    t.errand({"configure", "chore", "paused="});
    CHECK(t.wait(waits) == 2);
    t.app.block_on(t.app.stop());
}
