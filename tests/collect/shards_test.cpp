// Collected items on several shards.
#include "collect/handlers.hpp"
#include "core/bundles.hpp"
#include "core/task_id.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace collect_test;

namespace {

constexpr std::size_t shard_count = 3;

errand::config in_shards() { return errand::test::settings_in_shards(shard_count); }

std::size_t shard_of(const std::string& id) {
    return errand::shard_of_id(errand::parse_task_id(id).value(), shard_count);
}

}  // namespace

TEST_CASE("on several shards items of a key come together in one, and their run is there, too",
          "[in_shards]") {
    office t{in_shards()};
    t.start();
    std::set<std::size_t> all;
    for (int i = 0; i < 8; ++i) {
        const auto a = t.send<pairs>(2 * i);
        const auto carrier = t.carrier_of(a);
        const auto b = t.send<pairs>(2 * i + 1);
        CHECK(t.wait(a) == 2 * i);
        CHECK(t.wait(b) == 2 * i + 1);
        for (const auto& id : {a.id(), b.id(), carrier}) all.insert(shard_of(id));
    }
    CHECK(all.size() == 1);
    for (const auto& one : t.book.made()) CHECK(one.size() == 2);
}

TEST_CASE("on several shards keys are spread") {
    std::set<std::size_t> all;
    for (int i = 0; i < 64; ++i)
        all.insert(errand::place_of_bundle("digest", std::to_string(i)) % shard_count);
    CHECK(all.size() == shard_count);
}

TEST_CASE("on several shards items of a limited handler stand in the first one", "[in_shards]") {
    office t{in_shards()};
    t.start();
    const auto one = t.send<crowd>(1), two = t.send<crowd>(2);
    CHECK(shard_of(one.id()) == errand::shard_of_limits);
    CHECK(shard_of(two.id()) == errand::shard_of_limits);
    CHECK_NOTHROW(t.wait(one));
    CHECK_NOTHROW(t.wait(two));
    CHECK(t.book.most_at_once == 1);
}

TEST_CASE("on several shards an item with a biz_id is collected where that places it", "[in_shards]") {
    office t{in_shards()};
    t.start();
    std::vector<errand::handle<std::string>> handles;
    std::set<std::size_t> all;
    for (int i = 0; i < 12; ++i) {
        handles.push_back(t.send_fact("a", i));
        all.insert(shard_of(handles.back().id()));
    }
    CHECK(all.size() == shard_count);
    for (int i = 0; i < 12; ++i)
        CHECK(t.wait(handles[static_cast<std::size_t>(i)]) == "a/" + std::to_string(i));
}
