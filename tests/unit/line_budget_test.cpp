#include "core/length_words.hpp"
#include "core/line_budget.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using errand::kind_of_line;
using errand::length_in_words;
using errand::line_budget;

namespace {

const line_budget::instant at_twelve{std::chrono::hours{12}};

std::string failed(int task) { return "mail " + std::to_string(task) + "-a attempt 1 of 4 failed: no route"; }

// How many of these lines are written.
int written(line_budget& budget, int lines, line_budget::instant now) {
    int count = 0;
    for (int i = 0; i < lines; ++i) count += budget.allows(failed(i), now) ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("lines that differ in ids, numbers and times are alike") {
    CHECK(kind_of_line("mail 0198c5d2-7c1e attempt 1 of 4 failed: std::runtime_error: no route") ==
          "mail # attempt # of # failed: std::runtime_error: no route");
    CHECK(kind_of_line("no route to 10.0.0.7 at 12:30:01") == "no route to # at #");
    CHECK(kind_of_line("no route") != kind_of_line("no host"));
    CHECK(kind_of_line("").empty());
    CHECK(kind_of_line("  7  ") == "  #  ");
}

TEST_CASE("the twentieth line of a kind in a minute is written, the twenty-first is counted") {
    line_budget budget;
    CHECK(written(budget, 1000, at_twelve) == 20);
    CHECK(budget.allows("mail a attempt 1 of 4 failed: no such host", at_twelve));
    CHECK(budget.over(at_twelve + 59s).empty());
    const auto over = budget.over(at_twelve + 60s);
    REQUIRE(over.size() == 1);
    CHECK(over[0].lines == 980);
    CHECK(over[0].example == failed(19));
    CHECK(budget.over(at_twelve + 60s).empty());
    CHECK(written(budget, 30, at_twelve + 60s) == 20);
}

TEST_CASE("what was left out is told at the end, before its minute is over") {
    line_budget budget;
    written(budget, 25, at_twelve);
    const auto all = budget.all();
    REQUIRE(all.size() == 1);
    CHECK(all[0].lines == 5);
    CHECK(budget.all().empty());
}

TEST_CASE("a program that never says the same twice keeps a bounded number of kinds") {
    line_budget budget;
    const auto lines = static_cast<int>(line_budget::most_kinds) + 100;
    int count = 0;
    for (int i = 0; i < lines; ++i)
        count += budget.allows("failed for " + std::string(static_cast<std::size_t>(i) + 1, 'x'), at_twelve)
                     ? 1
                     : 0;
    // Those beyond are of one kind.
    CHECK(count == static_cast<int>(line_budget::most_kinds + line_budget::most_a_minute));
}

TEST_CASE("a length of time is said in two units at most") {
    CHECK(length_in_words(0ms) == "0 ms");
    CHECK(length_in_words(-3s) == "0 ms");
    CHECK(length_in_words(100ms) == "100 ms");
    CHECK(length_in_words(17'900ms) == "17 s");
    CHECK(length_in_words(125s) == "2 min 5 s");
    CHECK(length_in_words(3h + 20min + 59s) == "3 h 20 min");
    CHECK(length_in_words(24h) == "1 day");
    CHECK(length_in_words(20 * 24h + 30min) == "20 days");
}
