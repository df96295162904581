// docs/internals/states.md is what the state table prints. ERRAND_WRITE_DOCS=1 writes it anew.
#include "core/state_table.hpp"
#include "store/redis/script_texts.hpp"
#include "store/sqlite/sql_texts.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace errand;

namespace {

const std::string page_path = std::string{ERRAND_TESTS_DIR} + "/../docs/internals/states.md";

// ---- the table, printed ----

std::string_view name_or(std::optional<state> of, std::string_view otherwise) {
    return of ? to_string(*of) : otherwise;
}

std::string state_table_text() {
    std::string out = "| state | transition | state |\n| --- | --- | --- |\n";
    for (const auto& row : state_table()) {
        out += "| ";
        out += name_or(row.from, "–");
        out += " | ";
        out += to_string(row.event);
        out += " | ";
        out += name_or(row.to, "–");
        out += " |\n";
    }
    return out;
}

std::string state_table_mermaid() {
    std::string out = "stateDiagram-v2\n";
    for (const auto& row : state_table()) {
        out += "    ";
        out += name_or(row.from, "[*]");
        out += " --> ";
        out += name_or(row.to, "[*]");
        out += ": ";
        out += to_string(row.event);
        out += '\n';
    }
    return out;
}

// ---- the files in which each transition is done ----

std::string_view script_of_transition(transition what) noexcept {
    switch (what) {
    case transition::submit:
    case transition::submit_delayed: return "submit_write";
    case transition::submit_waiting: return "submit_write";
    case transition::replace:
    case transition::replace_delayed:
    case transition::replace_waiting: return "submit_read";
    case transition::resolve:
    case transition::resolve_delayed:
    case transition::gather:
    case transition::forsake:
    case transition::take_up: return "lib_settle";
    case transition::promote:
    case transition::expire: return "promote";
    case transition::claim: return "claim";
    case transition::adopt: return "adopt";
    case transition::succeed:
    case transition::bury: return "finish";
    case transition::fail:
    case transition::snooze:
    case transition::postpone:
    case transition::give_back:
    case transition::regroup: return "finish_wait";
    case transition::collect: return "finish_join";
    case transition::settle:
    case transition::settle_dead:
    case transition::settle_cancelled:
    case transition::collect_again:
    case transition::release: return "lib_items";
    case transition::recover: return "recover";
    case transition::cancel: return "cancel";
    case transition::revive: return "revive";
    case transition::put_off:
    case transition::recollect:
    case transition::reschedule:
    case transition::run_now:
    case transition::change: return "edit";
    case transition::remove: return "remove";
    case transition::clean: return "clean";
    }
    return {};
}

std::string_view sql_of_transition(transition what) noexcept {
    switch (what) {
    case transition::submit:
    case transition::submit_delayed:
    case transition::submit_waiting:
    case transition::replace:
    case transition::replace_delayed:
    case transition::replace_waiting: return "submit";
    case transition::resolve:
    case transition::resolve_delayed:
    case transition::gather:
    case transition::forsake:
    case transition::settle:
    case transition::settle_dead:
    case transition::settle_cancelled:
    case transition::release:
    case transition::remove: return "lib_task";
    case transition::promote:
    case transition::expire: return "promote";
    case transition::claim:
    case transition::adopt: return "claim";
    case transition::succeed:
    case transition::bury:
    case transition::fail:
    case transition::snooze:
    case transition::postpone:
    case transition::give_back:
    case transition::regroup: return "finish";
    case transition::collect:
    case transition::collect_again: return "bundle";
    case transition::recover: return "recover";
    case transition::cancel: return "cancel";
    case transition::revive:
    case transition::take_up: return "revive";
    case transition::put_off:
    case transition::recollect:
    case transition::reschedule:
    case transition::run_now:
    case transition::change: return "edit";
    case transition::clean: return "clean";
    }
    return {};
}

std::string scripts_table() {
    std::string text = "| transition | Redis | SQLite |\n| --- | --- | --- |\n";
    for (std::size_t at = 0; at < transition_count; ++at) {
        const auto what = static_cast<transition>(at);
        text += "| " + std::string{to_string(what)} + " | `" + std::string{script_of_transition(what)} +
                ".lua` | `" + std::string{sql_of_transition(what)} + ".sql` |\n";
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
        const auto name = script_of_transition(what);
        CHECK(std::ranges::count(redis::script_texts, name, &embedded_text::name) == 1);
        const auto file = sql_of_transition(what);
        CHECK(std::ranges::count(sqlite::sql_texts, file, &embedded_text::name) == 1);
    }
}

TEST_CASE("the table prints a line for each row") {
    const auto text = state_table_text();
    const auto diagram = state_table_mermaid();
    CHECK(text.find("| working | give_back | ready |\n") != std::string::npos);
    CHECK(text.find("| – | submit | ready |\n") != std::string::npos);
    CHECK(diagram.find("    [*] --> ready: submit\n") != std::string::npos);
    CHECK(diagram.find("    dead --> [*]: clean\n") != std::string::npos);
    CHECK(text.find("unknown") == std::string::npos);
}
