#include "cli/table.hpp"
#include "cli/text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sstream>

using errand::cli::table;

namespace {

table three() {
    table t{{{.title = "name", .least = 4},
             {.title = "n", .right = true},
             {.title = "text", .least = 6, .drop = 1}}};
    t.add({"one", "1", "short"});
    t.add({"a long name", "1000", "a text that goes on and on"});
    return t;
}

}  // namespace

TEST_CASE("a table is as wide as its cells when nothing limits it") {
    CHECK(three().text(0) == "name            n  text\n"
                             "one             1  short\n"
                             "a long name  1000  a text that goes on and on\n");
}

TEST_CASE("the widest cells are cut first, so that a table fits") {
    CHECK(three().text(30) == "name            n  text\n"
                              "one             1  short\n"
                              "a long name  1000  a text tha…\n");
    CHECK(three().text(20) == "name       n  text\n"
                              "one        1  short\n"
                              "a lon…  1000  a tex…\n");
}

TEST_CASE("every line of a table fits, however narrow it is") {
    for (std::size_t width = 1; width < 60; ++width) {
        std::istringstream lines{three().text(width)};
        for (std::string line; std::getline(lines, line);) {
            INFO(width << ": " << line);
            CHECK(errand::cli::width_of(line) <= width);
        }
    }
}

TEST_CASE("what cannot be cut enough is left out, the least important column first") {
    CHECK(three().text(12) == "name       n\none        1\na lon…  1000\n");
}

TEST_CASE("a column without any content is left out") {
    table t{{{.title = "name"}, {.title = "empty"}, {.title = "n"}}};
    t.add({"a", "", "1"});
    CHECK(t.text(0) == "name  n\na     1\n");
}

TEST_CASE("cells are aligned by characters, and line breaks in them are spaces") {
    table t{{{.title = "name"}, {.title = "n", .right = true}}};
    t.add({"größe", "1"});
    t.add({"a\nb", "20"});
    CHECK(t.text(0) == "name    n\ngröße   1\na b    20\n");
}
