// What is kept of stages, what may be asked of one, and the ids of the children they submit.
#include <errand/error.hpp>
#include <errand/outcome.hpp>

#include "core/stage_record.hpp"
#include "core/stage_rules.hpp"
#include "runtime/stage_run.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace errand;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr incarnation life = 0x0102030405060708;
const std::string life_bytes{"\1\2\3\4\5\6\7\10", 8};

stage_record full_record() {
    return {"decode", 3, time_point{1'763'000'000'123ms}, 1500ms, R"({"width":7})"};
}

template <class E>
bool may_try(E failure) {
    return may_try_again(std::make_exception_ptr(failure));
}

std::shared_ptr<stage_run> run_of(std::string name = "s", incarnation of = life) {
    return std::make_shared<stage_run>(derive_task_id("h", "1"), of, std::move(name), nullptr, nullptr);
}

}  // namespace

TEST_CASE("records of stages come back as they were written, in their order") {
    auto other = full_record();
    other.name = std::string(255, 'x');
    other.result.clear();
    const auto back = decode_stages(life_bytes + encode(full_record()) + encode(other), life);
    REQUIRE(back.size() == 2);
    CHECK(back[0].name == "decode");
    CHECK(back[0].attempt == 3);
    CHECK(back[0].started_at == time_point{1'763'000'000'123ms});
    CHECK(back[0].length == 1500ms);
    CHECK(back[0].result == R"({"width":7})");
    CHECK(back[1].name == other.name);
    CHECK(back[1].result.empty());
}

TEST_CASE("the front of a stage's record is where the script looks for it") {
    const auto bytes = encode(full_record());
    const auto length = bytes.size() - 4;
    CHECK(bytes.substr(0, 4) == std::string{'\0', '\0', '\0', static_cast<char>(length)});
    CHECK(bytes.substr(4, 2) == "\1\6");
    CHECK(bytes.substr(6, 6) == "decode");
}

TEST_CASE("stages of another life are none") {
    CHECK(decode_stages("", life).empty());
    CHECK(decode_stages(life_bytes, life).empty());
    CHECK(decode_stages(life_bytes + encode(full_record()), life + 1).empty());
}

TEST_CASE("bytes that are no stages are refused, and no prefix crashes the reader") {
    const auto record = encode(full_record());
    for (std::size_t n = 1; n < record.size(); ++n)
        CHECK_THROWS_AS(decode_stages(life_bytes + record.substr(0, n), life), bad_data);
    CHECK_THROWS_AS(decode_stages("short", life), bad_data);
    CHECK_THROWS_MATCHES(decode_stages(life_bytes + std::string{'\0', '\0', '\0', '\1', '\x9'}, life),
                         bad_data, MessageMatches(ContainsSubstring("stage") && ContainsSubstring("format")));
}

TEST_CASE("a stage retries what another try may mend, and nothing else") {
    CHECK(may_try(std::runtime_error{"x"}));
    CHECK(may_try(timed_out{"x"}));
    CHECK(may_try(bad_data{"x"}));
    CHECK(may_try(42));
    CHECK_FALSE(may_try(discard{"x"}));
    CHECK_FALSE(may_try(retry_in{1s}));
    CHECK_FALSE(may_try(snooze{1s}));
    CHECK_FALSE(may_try(lease_lost{"x"}));
    CHECK_FALSE(may_try(usage_error{"x"}));
}

TEST_CASE("the delay before a stage's retry is what its backoff says, within bounds") {
    const auto none = std::make_exception_ptr(std::runtime_error{"x"});
    CHECK(delay_before_retry(backoff::exponential(1s, 1h), 3, none) == 8s);
    CHECK(delay_before_retry([](int, const std::exception_ptr&) { return duration{-5}; }, 0, none) == 0ms);
    CHECK(delay_before_retry([](int, const std::exception_ptr&) { return duration::max(); }, 0, none) ==
          std::chrono::days{36'525});
    const backoff throws = [](int, const std::exception_ptr&) -> duration { throw 1; };
    CHECK(delay_before_retry(throws, 0, none) >= 15s);
}

TEST_CASE("what all stages of a task store is bounded") {
    CHECK_NOTHROW(check_kept_stages("s", 800, 100));
    CHECK_THROWS_AS(check_kept_stages("s", 801, 100), bad_data);
    constexpr std::size_t mebibyte = 1024 * 1024;
    CHECK_NOTHROW(check_kept_stages("s", 16 * mebibyte, 16 * mebibyte));
    CHECK_THROWS_AS(check_kept_stages("s", 16 * mebibyte + 1, 16 * mebibyte), bad_data);
}

TEST_CASE("the id of a child follows from all that tells it from others") {
    const auto id = [](const std::shared_ptr<stage_run>& run, std::string_view identity,
                       std::string_view args) { return run->reserve_child(identity, args)->id(); };
    const auto same = id(run_of(), "h", "[1]");
    CHECK(id(run_of(), "h", "[1]") == same);
    const std::set<task_id> others{same, id(run_of("t"), "h", "[1]"), id(run_of("s", life + 1), "h", "[1]"),
                                   id(run_of(), "g", "[1]"), id(run_of(), "h", "[2]")};
    CHECK(others.size() == 5);
    CHECK(to_text(same)[14] == '8');
}

TEST_CASE("children alike are counted, and the place of one that was not submitted goes to the next") {
    const auto run = run_of();
    const auto again = run_of();
    const auto first = run->reserve_child("h", "[1]");
    first->keep();
    auto second = run->reserve_child("h", "[1]");
    const auto second_id = second->id();
    CHECK(second_id != first->id());
    second.reset();
    CHECK(run->reserve_child("h", "[1]")->id() == second_id);
    const auto one = again->reserve_child("h", "[1]");
    CHECK(one->id() == first->id());
    CHECK(again->reserve_child("h", "[1]")->id() == second_id);
}
