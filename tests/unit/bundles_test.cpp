// Collected items: what may be said of collecting, and the records of bundles.
#include <errand/error.hpp>

#include "core/bundles.hpp"
#include "core/collect_rules.hpp"
#include "core/json_elements.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr collect_facts takes_items{.takes_items = true};

policy collecting(const collect_rule& rule) { return policy{.collect = rule}; }

void refused(const collect_rule& rule, const std::string& words, const collect_facts& facts = takes_items) {
    CHECK_THROWS_WITH(check_collect("digest", collecting(rule), facts), ContainsSubstring(words));
    CHECK_THROWS_AS(check_collect("digest", collecting(rule), facts), usage_error);
}

task_id named(unsigned char last) {
    task_id id;
    id.bytes[0] = 7;
    id.bytes[15] = last;
    return id;
}

joining some_joining() {
    joining one;
    one.key = bundle_key_of("digest", "default", "a");
    one.carrier = named(9);
    one.max_size = 100;
    one.wait = 5s;
    one.grace = 500ms;
    one.bytes = 17;
    one.carrier_body = "a body";
    return one;
}

}  // namespace

TEST_CASE("what collects must say when a bundle is run, and how many fit into it") {
    CHECK_NOTHROW(check_collect("digest", collecting({.max_size = 1, .max_wait = 0ms}), takes_items));
    CHECK_NOTHROW(check_collect("digest", collecting({.max_size = 10'000, .grace = 1s}), takes_items));
    refused({.max_size = 0, .grace = 1s}, "policy .collect.max_size = 0: must be 1..10000");
    refused({.max_size = 10'001, .grace = 1s}, "must be 1..10000");
    refused({.max_size = 5}, "needs .max_wait, .grace or both");
    refused({.max_wait = -1ms}, "policy .collect.max_wait = -1ms: must not be negative");
    refused({.grace = std::chrono::days{40'000}}, "must not be longer than 100 years");
}

TEST_CASE("only who takes a list of items collects, and has no keys of limits") {
    refused({.grace = 1s}, "perform must take one std::vector of items alone", {});
    refused({.grace = 1s}, "cannot have concurrency_key or rate_key",
            {.takes_items = true, .has_limit_keys = true});
    CHECK_NOTHROW(check_collect("plain", policy{}, {}));
}

TEST_CASE("a key by which items are collected has a longest length") {
    CHECK_NOTHROW(check_collect_key("digest", std::string(1024, 'x')));
    CHECK_THROWS_AS(check_collect_key("digest", std::string(1025, 'x')), usage_error);
}

TEST_CASE("handlers, queues and keys have bundles of their own") {
    const auto one = bundle_key_of("digest", "default", "a");
    CHECK(one.size() == 16);
    CHECK(one == bundle_key_of("digest", "default", "a"));
    CHECK(one != bundle_key_of("digest", "default", "b"));
    CHECK(one != bundle_key_of("digest", "other", "a"));
    CHECK(one != bundle_key_of("other", "default", "a"));
}

TEST_CASE("a carrier's id is known as one, stands in its item's shard, and is another for each claim") {
    const auto item = new_task_id(1'800'000'000'000);
    const auto one = derive_carrier_id("key", item, 5);
    CHECK(is_carrier(one));
    CHECK_FALSE(is_carrier(item));
    CHECK_FALSE(is_carrier(derive_task_id("digest", "a")));
    CHECK(one.bytes[14] == item.bytes[14]);
    CHECK(one.bytes[15] == item.bytes[15]);
    CHECK(one == derive_carrier_id("key", item, 5));
    CHECK(one != derive_carrier_id("key", item, 6));
}

TEST_CASE("what a worker says of an item comes back as it was") {
    const auto one = some_joining();
    CHECK(decode_joining(encode(one)) == one);
    CHECK_THROWS_AS(decode_joining(encode(one).substr(0, 70)), bad_data);
}

TEST_CASE("a bundle is full with its items or with 1 MiB, and due with its first or its last item") {
    const auto one = some_joining();
    CHECK_FALSE(is_full(one, 99, 1));
    CHECK(is_full(one, 100, 1));
    CHECK_FALSE(is_full(one, 1, (1 << 20) - 1));
    CHECK(is_full(one, 1, 1 << 20));
    CHECK(due_of_bundle(one, 1000, 2000) == 2500);
    CHECK(due_of_bundle(one, 1000, 5800) == 6000);
}

TEST_CASE("the elements of a JSON array are given as they are written") {
    using texts = std::vector<std::string_view>;
    CHECK(json_elements("[]").empty());
    CHECK(json_elements(" [ ] ").empty());
    CHECK(json_elements("[1]") == texts{"1"});
    CHECK(json_elements("[ 0.10 , [1,2] ,{\"a\":[3,4]}]") == texts{"0.10", "[1,2]", "{\"a\":[3,4]}"});
    CHECK(json_elements(R"(["a,b","c\",]","\\",[]])") == texts{"\"a,b\"", R"("c\",]")", R"("\\")", "[]"});
    CHECK_THROWS_AS(json_elements("17"), bad_data);
    CHECK_THROWS_AS(json_elements(""), bad_data);
}

TEST_CASE("what is said of each item comes back as it was") {
    const std::vector<item_end> ends{
        {.item = named(1), .result = "{\"a\":[1,2]}"},
        {.item = named(2)},
        {.item = named(3), .failed = true, .why = "a \"quoted\"\nline", .delay = 1500ms},
        {.item = named(4), .failed = true, .why = "", .dead = true},
    };
    CHECK(read_bundle_report(bundle_report(ends)) == ends);
    CHECK_THROWS_AS(read_bundle_report("[[\"zz\"]]"), bad_data);
    CHECK_THROWS_AS(read_bundle_report("[17]"), bad_data);
}

TEST_CASE("when all items have succeeded without a result nothing is said of them") {
    const std::vector<item_end> ends{{.item = named(1)}, {.item = named(2)}};
    CHECK(bundle_report(ends).empty());
    CHECK(read_bundle_report("").empty());
}
