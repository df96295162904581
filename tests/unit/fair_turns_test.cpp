// Whose turn it is among groups of equal priority.
#include "core/fair_turns.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>

using namespace errand;

namespace {

// Groups that take turns, as a store keeps them: by turn, then by when they came to it.
struct turns {
    struct group {
        std::int64_t turn;
        int since;
        int tasks;
    };
    virtual_time time{};
    std::map<char, group> groups;
    int plain = 0;
    int order = 0;

    std::optional<std::int64_t> first_turn() const {
        std::optional<std::int64_t> first;
        for (const auto& [name, one] : groups) first = std::min(first.value_or(one.turn), one.turn);
        return first;
    }
    void come(char name, int tasks) {
        if (const auto at = groups.find(name); at != groups.end()) {
            at->second.tasks += tasks;
        } else {
            groups[name] = {turn_on_entry(0, first_turn(), time), ++order, tasks};
        }
    }
    char start() {
        const auto at = std::ranges::min_element(groups, {}, [](const auto& one) {
            return std::pair{one.second.turn, one.second.since};
        });
        if (plain > 0 && (at == groups.end() || is_turn_of_plain(time, at->second.turn))) {
            if (at != groups.end()) plain_started(time, at->second.turn);
            --plain;
            return 'p';
        }
        if (at == groups.end()) return '-';
        auto& [name, one] = *at;
        const char started = name;
        one.turn = group_started(time, one.turn);
        one.since = ++order;
        if (--one.tasks == 0) groups.erase(at);
        return started;
    }
    std::string start(int count) {
        std::string all;
        for (; count > 0; --count) all += start();
        return all;
    }
};

}  // namespace

TEST_CASE("groups start one after the other, however many tasks each has") {
    turns t;
    t.come('A', 1000);
    CHECK(t.start(3) == "AAA");
    t.come('B', 3);
    t.come('C', 2);
    CHECK(t.start(8) == "ABCABCAB");
    CHECK(t.start(2) == "AA");
}

TEST_CASE("tasks without gates are one group among the others") {
    turns t;
    t.plain = 4;
    t.come('A', 3);
    t.come('B', 3);
    CHECK(t.start(6) == "pABpAB");
    CHECK(t.start(5) == "pABp-");
}

TEST_CASE("who had nothing for a while has saved up nothing") {
    turns t;
    t.come('A', 1000);
    t.start(500);
    t.plain = 10;
    CHECK(t.start(6) == "pApApA");
    t.plain = 0;
    t.start(300);
    t.plain = 10;
    t.come('B', 10);
    const auto got = t.start(9);
    for (const char name : {'A', 'B', 'p'}) CHECK(std::ranges::count(got, name) == 3);
}

TEST_CASE("who always comes with one task keeps nobody waiting") {
    turns t;
    t.come('A', 5);
    std::string got;
    for (int i = 0; i < 10; ++i) {
        t.come('B', 1);
        got += t.start();
    }
    CHECK(std::ranges::count(got, 'A') == 5);
}

TEST_CASE("who was held up goes on where the others are, and whoever has gone farther stays ahead") {
    const virtual_time time{.present = 40, .plain = 41};
    CHECK(turn_on_entry(7, 39, time) == 39);
    CHECK(turn_on_entry(7, std::nullopt, time) == 40);
    CHECK(turn_on_entry(50, 39, time) == 50);
}
