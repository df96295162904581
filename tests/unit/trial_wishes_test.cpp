// The options of scripts/fault: one set, and nothing else is taken.
#include "trial/wishes.hpp"

#include <catch2/catch_test_macros.hpp>

namespace {

std::optional<trial::wishes> read(std::vector<std::string> words, int expected = -1) {
    words.insert(words.begin(), "fault");
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    int status = -1;
    auto got = trial::read_wishes(static_cast<int>(raw.size()), raw.data(), status);
    CHECK(status == expected);
    return got;
}

}  // namespace

TEST_CASE("a trial of an outbox takes the options that other trials take") {
    const auto what = read({"--outbox", "postgres", "--seconds", "40", "--seed", "99"});
    REQUIRE(what);
    CHECK(what->outbox == "postgres");
    CHECK(what->seconds == 40);
    CHECK(what->seed == 99);
    const auto usual = read({"--seed", "7", "--only", "cut,kill"});
    REQUIRE(usual);
    CHECK(usual->outbox.empty());
    CHECK(usual->seconds == 60);
    CHECK(usual->only == std::vector<std::string>{"cut", "kill"});
}

TEST_CASE(
    "a trial of a shelf takes its database, how long it lasts and a seed, and nothing of other trials") {
    const auto what = read({"--shelf", "mysql", "--seconds", "40", "--seed", "99"});
    REQUIRE(what);
    CHECK(what->shelf == "mysql");
    CHECK(what->seconds == 40);
    CHECK(what->seed == 99);
    constexpr int refused = 2;
    CHECK_FALSE(read({"--shelf", "sqlite-inside"}, refused));
    CHECK_FALSE(read({"--shelf", "sqlite", "--outbox", "sqlite"}, refused));
    CHECK_FALSE(read({"--shelf", "sqlite", "--long"}, refused));
    CHECK_FALSE(read({"--shelf", "sqlite", "--store", "redis"}, refused));
}

TEST_CASE("a trial of what the dead leave behind takes options of its own and no others") {
    const auto what = read({"--long"});
    REQUIRE(what);
    CHECK(what->piles);
    CHECK(what->things == 100'000);
    CHECK_FALSE(what->untimed);
    const auto small = read({"--long", "--things", "2000", "--untimed"});
    REQUIRE(small);
    CHECK(small->things == 2000);
    CHECK(small->untimed);
    constexpr int refused = 2;
    CHECK_FALSE(read({"--things", "2000"}, refused));
    CHECK_FALSE(read({"--untimed"}, refused));
    CHECK_FALSE(read({"--long", "--things", "99"}, refused));
    CHECK_FALSE(read({"--long", "--things", "many"}, refused));
    CHECK_FALSE(read({"--long", "2000"}, refused));
    CHECK_FALSE(read({"--long", "--thing", "2000"}, refused));
    CHECK_FALSE(read({"--long", "--seconds", "40"}, refused));
    CHECK_FALSE(read({"--long", "--seed", "7"}, refused));
    CHECK_FALSE(read({"--long", "--store", "redis"}, refused));
    CHECK_FALSE(read({"--long", "--outbox", "sqlite"}, refused));
}

TEST_CASE("a word that no trial knows is refused") {
    constexpr int refused = 2;
    CHECK_FALSE(read({"40"}, refused));
    CHECK_FALSE(read({"--outbox", "postgres", "40", "99"}, refused));
    CHECK_FALSE(read({"--outbox", "oracle"}, refused));
    CHECK_FALSE(read({"--second", "40"}, refused));
    CHECK_FALSE(read({"--seconds", "many"}, refused));
    CHECK_FALSE(read({"--seconds", "4"}, refused));
    CHECK_FALSE(read({"--seed", "-1"}, refused));
    CHECK_FALSE(read({"--patience", "-1"}, refused));
    CHECK_FALSE(read({"--mode", "lonely"}, refused));
    CHECK_FALSE(read({"--outbox", "postgres", "--mode", "alone"}, refused));
}
