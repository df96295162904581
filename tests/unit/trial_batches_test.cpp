// What is collected, held against the rules of its runs.
#include "trial/batches.hpp"
#include "trial/gathering.hpp"
#include "trial/lateness.hpp"

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>

using namespace trial;
using errand::state;
using fault_test::entry;

namespace {

// A worker (process 1), three items of one key that are accepted at 2000, and their runs.
struct gathering {
    std::vector<entry> lines{{"up", "-", 0, 0, 1, 1000}};
    endings ended{};
    chronicle happened{};
    std::int64_t now = 2000;

    gathering() {
        for (int number : {1, 2, 3}) {
            says("gathers", "item" + std::to_string(number), number);
            ended["item" + std::to_string(number)] = ending{state::success, "trial::gathered", 10};
        }
    }
    gathering& says(const std::string& what, const std::string& task, int number = 0, std::uint64_t fence = 0,
                    pid_t pid = 1) {
        lines.push_back({what, task, number, fence, pid, now});
        return *this;
    }
    gathering& begins(std::uint64_t fence, std::initializer_list<int> numbers,
                      const std::string& carrier = "c", pid_t pid = 1) {
        for (const int number : numbers) says("batch:" + carrier, "key", number, fence, pid);
        return says("listed:" + carrier, "-", static_cast<int>(numbers.size()), fence, pid);
    }
    gathering& ends(const std::string& carrier = "c", pid_t pid = 1) {
        return says("success", carrier, 0, 0, pid);
    }
    judgement judged() const {
        auto all = lines;
        all.push_back({"up", "-", 0, 0, 9, 60'000});
        judgement found;
        check_batches(all, ended, happened, lateness{all, happened}, found);
        return found;
    }
};

}  // namespace

TEST_CASE("items that one run was given, and which have their results from it, are well") {
    gathering tells;
    tells.begins(10, {1, 2, 3}).ends();
    const auto found = tells.judged();
    CHECK(found.violations == 0);
    CHECK(found.batched == 3);
    CHECK(found.batches == 1);
}

TEST_CASE("a run that was made again, elsewhere, with the same items, is one run") {
    gathering tells;
    tells.begins(5, {1, 2, 3}, "c", 2).says("refused", "c", 0, 0, 2).begins(10, {1, 2, 3}).ends();
    CHECK(tells.judged().violations == 0);
    SECTION("with others it is not") {
        tells.begins(20, {1, 2}, "c", 2);
        CHECK(tells.judged().violated.at("batch_changed") == 1);
    }
    SECTION("who died while it wrote down what it was given has not said all") {
        tells.says("batch:c", "key", 1, 20, 3);
        CHECK(tells.judged().violations == 0);
    }
}

TEST_CASE(
    "an item that was in two accepted runs was run twice, but for one of which the first said that it failed") {
    gathering tells;
    tells.begins(5, {3, 4}, "d", 2);
    SECTION("twice") {
        tells.ends("d", 2).begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().violated.at("item_twice") == 1);
    }
    SECTION("failed") {
        tells.says("unfit:d", "key", 3, 5, 2).ends("d", 2).begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().violations == 0);
    }
    SECTION("not accepted") {
        tells.says("refused", "d", 0, 0, 2).begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().violations == 0);
    }
}

TEST_CASE("the result of a run that was not given an item is not founded") {
    gathering tells;
    tells.begins(10, {1, 2}).ends().begins(11, {3}, "d").ends("d");
    CHECK(tells.judged().violated.at("item_unfounded") == 1);
}

TEST_CASE("a run has items of one key, and no more than it may") {
    gathering tells;
    SECTION("keys") {
        tells.says("batch:c", "other", 4, 10).begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().violated.at("batch_mixed") == 1);
    }
    SECTION("size") {
        tells.begins(10, {1, 2, 3, 4, 5, 6}).ends();
        CHECK(tells.judged().violations == 0);
        tells.begins(12, {11, 12, 13, 14, 15, 16, 17}, "d").ends("d");
        CHECK(tells.judged().violated.at("batch_too_large") == 1);
    }
}

TEST_CASE("items are run within the longest gathering and as long as a start may take") {
    gathering tells;
    const auto latest = 2000 + longest_gathering_ms + starts_within;
    SECTION("just") {
        tells.now = latest;
        tells.begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().late_starts == 0);
    }
    SECTION("late") {
        tells.now = latest + 1;
        tells.begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().late_starts == 3);
    }
    SECTION("never") {
        tells.begins(10, {1, 2}).ends().ended["item3"] = ending{state::waiting, "trial::gathered", 0};
        CHECK(tells.judged().late_starts == 1);
    }
    SECTION("by whoever died before it said so") { CHECK(tells.judged().late_starts == 0); }
    SECTION("by a clock that was set back") {
        tells.happened.jumps.push_back({.when = 2500, .by = -3000});
        tells.now = latest + 3000;
        tells.begins(10, {1, 2, 3}).ends();
        CHECK(tells.judged().late_starts == 0);
    }
}
