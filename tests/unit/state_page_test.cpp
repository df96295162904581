// docs/internals/states.md is what the state table prints. ERRAND_WRITE_DOCS=1 writes it anew.
#include "core/state_table.hpp"
#include "store/redis/script_texts.hpp"
#include "store/redis/transitions.hpp"
#include "store/sqlite/sql_texts.hpp"
#include "store/sqlite/transitions.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace errand;

namespace {

const std::string page_path = std::string{ERRAND_TESTS_DIR} + "/../docs/internals/states.md";

std::string scripts_table() {
    std::string text = "| transition | Redis | SQLite |\n| --- | --- | --- |\n";
    for (std::size_t at = 0; at < transition_count; ++at) {
        const auto what = static_cast<transition>(at);
        text += "| " + std::string{to_string(what)} + " | `" +
                std::string{redis::script_of_transition(what)} + ".lua` | `" +
                std::string{sqlite::sql_of_transition(what)} + ".sql` |\n";
    }
    return text;
}

std::string page() {
    return "# The states of a task\n\n"
           "This page is printed from the table in `src/core/state_table.cpp`, which is the only place that says what can\n"
           "happen to a task; a test fails when the two differ, and another one does every row on every store.\n"
           "`–` stands for a task that the store does not know.\n\n"
           "```mermaid\n" +
           state_table_mermaid() + "```\n\n" + state_table_text() +
           "\n## Where it is done\n\n"
           "Each transition is one atomic step: a script of `src/store/redis/scripts/`, or statements of\n"
           "`src/store/sqlite/sql/` in one transaction.\n\n" +
           scripts_table();
}

}  // namespace

TEST_CASE("the page of states says what the table says") {
    if (std::getenv("ERRAND_WRITE_DOCS")) std::ofstream{page_path} << page();
    std::ifstream in{page_path};
    std::stringstream there;
    there << in.rdbuf();
    CHECK(there.str() == page());
}

TEST_CASE("every transition has a script and a file of statements") {
    for (std::size_t at = 0; at < transition_count; ++at) {
        const auto what = static_cast<transition>(at);
        INFO(to_string(what));
        const auto name = redis::script_of_transition(what);
        CHECK(std::ranges::count(redis::script_texts, name, &redis::script_text::name) == 1);
        const auto file = sqlite::sql_of_transition(what);
        CHECK(std::ranges::count(sqlite::sql_texts, file, &sqlite::script_text::name) == 1);
    }
}
