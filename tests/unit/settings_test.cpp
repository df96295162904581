// What is set of a handler at run time: its record, its texts, and what follows for a task.
#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "core/settings_record.hpp"
#include "core/settings_text.hpp"
#include "runtime/settings_book.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace std::chrono_literals;

namespace {

settings_record settings_with_all() {
    settings_record record;
    record.stamp = 0x0102'0304'0506'0708;
    record.version = 12;
    record.by = "host:17";
    record.at = time_point{1'763'000'000'000ms};
    record.values = {.max_retry = 0,
                     .timeout = 0ms,
                     .backoff = backoff::uniform(1500ms),
                     .priority = 9,
                     .retention = 1ms,
                     .expires_after = 0ms,
                     .max_running = 0,
                     .rate = rate_limit{.count = 50, .per = 30s, .burst = 7},
                     .batch = 20,
                     .interval = 250ms,
                     .paused = true};
    return record;
}

settings_of_shards shards_with(const std::string& handler, handler_settings values) {
    settings_record record;
    record.stamp = 1;
    record.values = std::move(values);
    settings_of_shards all;
    all.push_back(std::vector<kept_settings>{{handler, encode(record)}});
    return all;
}

}  // namespace

TEST_CASE("a record of settings reads as it was written, also when it says nothing") {
    const auto record = settings_with_all();
    const auto read = decode_settings(encode(record));
    CHECK(read.stamp == record.stamp);
    CHECK(read.version == 12);
    CHECK(read.by == "host:17");
    CHECK(read.at == record.at);
    CHECK(read.values.max_retry == 0);
    CHECK(read.values.timeout == 0ms);
    REQUIRE(read.values.backoff);
    CHECK(read.values.backoff->text() == "uniform:1500ms");
    CHECK((*read.values.backoff)(3, nullptr) == 1500ms);
    CHECK(read.values.priority == 9);
    CHECK(read.values.retention == 1ms);
    CHECK(read.values.expires_after == 0ms);
    CHECK(read.values.max_running == 0);
    CHECK(read.values.rate == rate_limit{.count = 50, .per = 30s, .burst = 7});
    CHECK(read.values.batch == 20);
    CHECK(read.values.interval == 250ms);
    CHECK(read.values.paused);
    CHECK_FALSE(is_nothing(read.values));
    CHECK(is_nothing(decode_settings(encode(settings_record{})).values));
    CHECK_THROWS_AS(decode_settings("short"), bad_data);
}

TEST_CASE("what a newer errand has set is passed over") {
    settings_record record;
    record.values.max_retry = 5;
    auto bytes = encode(record);
    // One field more, of a number that is not known.
    bytes[bytes.size() - 4] = 2;
    bytes += std::string{"\x63\x03xyz", 5};
    CHECK(decode_settings(bytes).values.max_retry == 5);
}

TEST_CASE("backoffs read as they are written") {
    for (const auto* text :
         {"polynomial", "exponential:10s:1h", "exponential:1ms:90s", "uniform:0ms", "uniform:7d"}) {
        const auto found = find_backoff(text);
        REQUIRE(found);
        CHECK(found->text() == text);
    }
    for (const auto* text : {"", "linear", "exponential:10s", "exponential:1h:10s", "exponential:0s:1s",
                             "uniform:", "uniform:10", "uniform:-1s", "polynomial "})
        CHECK_FALSE(find_backoff(text));
    CHECK(find_backoff("exponential:10s:25s")->operator()(5, nullptr) == 25s);
    CHECK(backoff{[](int, const std::exception_ptr&) { return duration{1}; }}.text().empty());
}

TEST_CASE("the submission goes before what is set, and that before the policy") {
    const policy rules{.timeout = 1min, .max_retry = 2, .retention = 24h, .expires_after = 1h};
    const handler_settings set{.max_retry = 5,
                               .timeout = 2min,
                               .backoff = backoff::uniform(3s),
                               .retention = 48h,
                               .expires_after = 2h};
    task_body body;
    auto terms = terms_of(rules, body, &set);
    CHECK(terms.max_retry == 5);
    CHECK(terms.timeout == 2min);
    CHECK(terms.retention == 48h);
    CHECK(terms.expires_after == 2h);
    CHECK(terms.backoff == &*set.backoff);
    // Kept with the task, but not said by its submission.
    body.expires_after = 1h;
    body.policy_expires = true;
    body.retention = 24h;
    body.policy_retains = true;
    terms = terms_of(rules, decode_body(encode(body)), &set);
    CHECK(terms.retention == 48h);
    CHECK(terms.expires_after == 2h);
    CHECK(terms_of({.retention = 30h}, decode_body(encode(body)), nullptr).retention == 30h);
    // Of a handler that this program does not know there is no other policy.
    CHECK(terms_of(decode_body(encode(body))).retention == 24h);
    CHECK(terms_of(decode_body(encode(body)), &set).retention == 48h);
    CHECK(terms_of(task_body{}).retention == policy{}.retention);
    body.policy_expires = body.policy_retains = false;
    body.max_retry = 0;
    body.timeout = 5s;
    body.biz_id = "b";
    terms = terms_of(rules, decode_body(encode(body)), &set);
    CHECK(terms.max_retry == 0);
    CHECK(terms.timeout == 5s);
    CHECK(terms.retention == 24h);
    CHECK(terms.unique_for == 24h);
    CHECK(terms.expires_after == 1h);
    const handler_settings never{.expires_after = 0ms};
    CHECK_FALSE(terms_of(rules, task_body{}, &never).expires_after);
    CHECK(terms_of(rules, task_body{}).max_retry == 2);
}

TEST_CASE(
    "a value that the policy gave is marked by one byte, which is read over by those who do not look for it") {
    for (const auto length : {duration{0}, duration{1}, duration{64}, duration{1h}, duration{180 * 24h}}) {
        task_body body;
        body.expires_after = length;
        const auto plain = encode(body);
        body.policy_expires = true;
        const auto marked = encode(body);
        CHECK(marked.size() == plain.size() + 1);
        CHECK(decode_body(marked) == body);
        CHECK_FALSE(decode_body(plain).policy_expires);
        CHECK(decode_body(plain).expires_after == length);
    }
}

TEST_CASE("an answer to an earlier question about settings does not undo a later one") {
    settings_book book;
    CHECK_FALSE(book.any());
    CHECK_FALSE(book.of("h"));
    int told = 0;
    book.tell([&] { ++told; });
    const auto first = book.ask(), second = book.ask();
    book.heard(second, shards_with("h", {.max_retry = 2}));
    book.heard(first, shards_with("h", {.max_retry = 1}));
    CHECK(told == 1);
    REQUIRE(book.of("h"));
    CHECK(book.of("h")->max_retry == 2);
    CHECK_FALSE(book.of("other"));
    CHECK_FALSE(book.is_paused("h"));
    book.heard(book.ask(), shards_with("h", {.paused = true}));
    CHECK(book.is_paused("h"));
    book.heard(book.ask(), shards_with("h", {}));
    CHECK_FALSE(book.any());
}

TEST_CASE("of a shard that does not answer the settings stay as they were") {
    settings_book book;
    auto both = shards_with("a", {.max_retry = 1});
    both.push_back(shards_with("b", {.max_retry = 2}).front());
    book.heard(book.ask(), both);
    book.heard(book.ask(), {std::nullopt, shards_with("b", {.max_retry = 3}).front()});
    REQUIRE(book.of("a"));
    CHECK(book.of("a")->max_retry == 1);
    CHECK(book.of("b")->max_retry == 3);
    book.heard(book.ask(), {std::nullopt, std::vector<kept_settings>{{"b", "rubbish"}}});
    CHECK(book.any());
    CHECK_FALSE(book.of("b"));
}

TEST_CASE("what is set of an earlier name of a handler counts as long as nothing is set of its name") {
    known_handler handler;
    handler.name = "new";
    handler.policy.aliases = {"old"};
    settings_book book;
    book.heard(book.ask(), shards_with("old", {.max_retry = 1}));
    REQUIRE(book.of(&handler, "old"));
    CHECK(book.of(&handler, "new")->max_retry == 1);
    auto both = shards_with("old", {.max_retry = 1});
    both.push_back(shards_with("new", {.max_retry = 2}).front());
    book.heard(book.ask(), both);
    CHECK(book.of(&handler, "old")->max_retry == 2);
}
