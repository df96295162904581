#include "core/task_id.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using namespace errand;

TEST_CASE("a fresh id is a UUIDv7 that begins with its time") {
    const auto id = new_task_id(0x0123456789ab);
    const auto text = to_text(id);
    CHECK(text.substr(0, 15) == "01234567-89ab-7");
    CHECK((id.bytes[8] & 0xc0) == 0x80);
    CHECK(text.size() == 36);
}

TEST_CASE("fresh ids differ, and sort by the time they were made") {
    std::set<task_id> ids;
    for (int i = 0; i < 10'000; ++i) ids.insert(new_task_id(1'700'000'000'000));
    CHECK(ids.size() == 10'000);
    CHECK(new_task_id(1'700'000'000'000) < new_task_id(1'700'000'000'001));
}

TEST_CASE("fresh ids of a thread come in runs, each in the next shard, and a million of one moment differ") {
    constexpr std::size_t shards = 64;
    std::vector<task_id> ids;
    for (int i = 0; i < 1 << 20; ++i) ids.push_back(new_task_id(1'700'000'000'000));
    std::vector<std::size_t> runs{1};
    for (std::size_t i = 1; i < ids.size(); ++i) {
        const auto before = shard_of_id(ids[i - 1], shards), at = shard_of_id(ids[i], shards);
        if (before == at) {
            ++runs.back();
        } else {
            REQUIRE(at == (before + 1) % shards);
            runs.push_back(1);
        }
    }
    // The first one had begun before, and the last one goes on.
    CHECK(runs.front() <= ids_in_a_row);
    CHECK(runs.back() <= ids_in_a_row);
    CHECK(std::all_of(runs.begin() + 1, runs.end() - 1, [](std::size_t n) { return n == ids_in_a_row; }));
    std::ranges::sort(ids);
    CHECK(std::ranges::adjacent_find(ids) == ids.end());
}

TEST_CASE(
    "after half a second a thread's ids are kept by another shard: whose shard is away comes to the others") {
    constexpr std::size_t shards = 3;
    std::set<std::size_t> tried;
    for (std::int64_t now = 1'700'000'000'000; now < 1'700'000'004'000; now += 500)
        tried.insert(shard_of_id(new_task_id(now), shards));
    CHECK(tried.size() == shards);
}

TEST_CASE("fresh ids of several threads differ, and their runs begin where chance has it") {
    std::vector<std::vector<task_id>> of_threads(8);
    std::vector<std::thread> threads;
    for (auto& mine : of_threads)
        threads.emplace_back([&mine] {
            for (int i = 0; i < 50'000; ++i) mine.push_back(new_task_id(1'700'000'000'000));
        });
    for (auto& one : threads) one.join();
    std::set<std::pair<unsigned, unsigned>> begun;
    std::vector<task_id> all;
    for (const auto& mine : of_threads) {
        begun.emplace(mine.front().bytes[14], mine.front().bytes[15]);
        all.insert(all.end(), mine.begin(), mine.end());
    }
    // That two of eight begin in the same one of 65536 places may be.
    CHECK(begun.size() >= 6);
    std::ranges::sort(all);
    CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE("an id beside another is kept where that is, and is another for each id") {
    std::set<task_id> ids;
    const auto other = derive_task_id("pay", "order 7");
    for (int i = 0; i < 1000; ++i) {
        const auto id = beside(new_task_id(1'700'000'000'000), other);
        for (const std::size_t shards : {1U, 2U, 3U, 7U, 1000U})
            CHECK(shard_of_id(id, shards) == shard_of_id(other, shards));
        ids.insert(id);
    }
    CHECK(ids.size() == 1000);
}

TEST_CASE("a derived id is the same everywhere and for ever") {
    CHECK(derive_task_id("pay", "order 7") == derive_task_id("pay", "order 7"));
    // Kept in stores: this value must never change.
    CHECK(to_text(derive_task_id("pay", "order 7")) == "551a0d00-8dde-83ab-a865-e28921436e0f");
    CHECK((derive_task_id("pay", "order 7").bytes[6] >> 4) == 8);
}

TEST_CASE("the boundary between identity and biz_id is part of a derived id") {
    CHECK(derive_task_id("ab", "c") != derive_task_id("a", "bc"));
    CHECK(derive_task_id("", "x") != derive_task_id("x", ""));
}

TEST_CASE("an id in the first shard is there however many there are, and is another for each other id") {
    std::set<task_id> ids;
    for (int i = 0; i < 1000; ++i) {
        const auto id = in_first_shard(new_task_id(1'700'000'000'000));
        for (const std::size_t shards : {1U, 2U, 3U, 7U, 1000U})
            CHECK(shard_of_id(id, shards) == shard_of_limits);
        ids.insert(id);
    }
    CHECK(ids.size() == 1000);
    const auto named = derive_task_id("pay", "order 7");
    CHECK(in_first_shard(named) == in_first_shard(in_first_shard(named)));
    CHECK(in_first_shard(named) != in_first_shard(derive_task_id("pay", "order 8")));
}

TEST_CASE("an id survives its text form, with or without dashes, in any case") {
    const auto id = new_task_id(1'763'000'000'000);
    auto text = to_text(id);
    CHECK(parse_task_id(text) == id);
    std::string plain;
    for (const char c : text) {
        if (c != '-') plain.push_back(static_cast<char>(std::toupper(c)));
    }
    CHECK(parse_task_id(plain) == id);
}

TEST_CASE("what is not an id is not read as one") {
    for (const char* text :
         {"", "-", "xyz", "01234567-89ab-7000-8000-00000000000", "01234567-89ab-7000-8000-0000000000000",
          "01234567-89ab-7000-8000-00000000000g"}) {
        CHECK_FALSE(parse_task_id(text));
    }
    CHECK_FALSE(task_id::from_bytes("short"));
    CHECK(task_id::from_bytes("sixteen bytes ok"));
}
