// What the commands show, without a store.
#include <errand/error.hpp>

#include "cli/completion.hpp"
#include "cli/find_task.hpp"
#include "cli/program.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace errand::cli;
using Catch::Matchers::ContainsSubstring;
using errand::state;

namespace {

const errand::time_point now{1'796'112'000'000ms};

errand::task_info task_in(state where) {
    errand::task_info task;
    task.id = "0198c5d2";
    task.queue = "mail";
    task.state = where;
    return task;
}

}  // namespace

TEST_CASE("why a task waits is said in words, for every state") {
    auto waiting = task_in(state::waiting);
    waiting.waits_for = {"a", "b"};
    waiting.waits_for_count = 2;
    waiting.failed_dependencies = 1;
    CHECK_THAT(why_text(waiting, {now}), ContainsSubstring("waits for 2 tasks") &&
                                             ContainsSubstring("a, b") && ContainsSubstring("1 of them"));
    auto delayed = task_in(state::delayed);
    delayed.due_at = now + 5min;
    CHECK_THAT(why_text(delayed, {now}), ContainsSubstring("in 5m"));
    auto aside = task_in(state::delayed);
    aside.handler = "send_reciept";
    aside.due_at = now - 5min;
    surroundings nobody{.now = now, .handler_is_known = false};
    CHECK(
        why_text(aside, nobody) ==
        "stands aside: no worker has a handler of the name send_reciept; a worker that has it takes it when it starts");
    nobody.nearest_handler = "send_receipt";
    CHECK_THAT(why_text(aside, nobody), ContainsSubstring("(the nearest is send_receipt)"));
    CHECK_THAT(why_text(delayed, nobody), ContainsSubstring("in 5m"));
    const auto ready = task_in(state::ready);
    CHECK_THAT(why_text(ready, {now, true, 1}), ContainsSubstring("mail is paused"));
    CHECK_THAT(why_text(ready, {now, false, 0}), ContainsSubstring("no worker serves its queue mail"));
    CHECK_THAT(why_text(ready, {now, false, 2}), ContainsSubstring("free slot"));
    auto retry = task_in(state::retry);
    retry.attempt = 3;
    retry.due_at = now + 90s;
    CHECK_THAT(why_text(retry, {now}),
               ContainsSubstring("attempt 3 failed") && ContainsSubstring("in 1m 30s"));
    auto working = task_in(state::working);
    working.started_at = now - 2s;
    CHECK_THAT(why_text(working, {now}), ContainsSubstring("2s ago") && !ContainsSubstring("busy"));
    CHECK_THAT(why_text(working, {.now = now, .blocks = true}),
               ContainsSubstring("keeps a thread of its worker busy") && ContainsSubstring(".blocking"));
    auto dead = task_in(state::dead);
    CHECK_THAT(why_text(dead, {now}), ContainsSubstring("ended as dead"));
}

TEST_CASE("how many attempts a task may have is said once one has failed") {
    const auto line = [](const errand::task_info& task) {
        const auto text = task_text(task, "");
        const auto at = text.find("attempt ");
        return text.substr(at, text.find('\n', at) - at);
    };
    auto task = task_in(state::ready);
    task.max_retry = 25;
    CHECK(line(task) == "attempt      none yet");
    task.state = state::working;
    task.attempt = 1;
    CHECK(line(task) == "attempt      1");
    task.errors.resize(1);
    task.max_retry = 3;
    CHECK(line(task) == "attempt      1 of 4");
}

TEST_CASE("handler and biz_id are told apart at each colon, the longest name of a handler first") {
    using pairs = std::vector<std::pair<std::string_view, std::string_view>>;
    CHECK(handler_and_biz_id("o-3").empty());
    CHECK(handler_and_biz_id("mail:o-3") == pairs{{"mail", "o-3"}});
    CHECK(handler_and_biz_id("shop::mail:o-3") ==
          pairs{{"shop::mail", "o-3"}, {"shop:", "mail:o-3"}, {"shop", ":mail:o-3"}});
    CHECK(handler_and_biz_id(":o-3").empty());
    CHECK(handler_and_biz_id("mail:").empty());
}

TEST_CASE("a graph is a tree in which a task with two dependencies stands below both") {
    errand::task_graph graph;
    for (const auto* name : {"merge", "left", "right", "report"}) {
        graph.nodes.push_back({.id = name, .handler = name, .biz_id = {}, .state = state::waiting});
    }
    graph.edges = {{1, 0}, {2, 0}, {0, 3}};
    CHECK(tree_text(graph) == "- left  waiting  left\n"
                              "  * merge  waiting  merge\n"
                              "    - report  waiting  report\n"
                              "- right  waiting  right\n"
                              "  * merge  waiting  merge  (above)\n");
}

TEST_CASE("a graph that is a cycle for a moment is shown all the same") {
    errand::task_graph graph;
    for (const auto* name : {"a", "b"}) {
        graph.nodes.push_back({.id = name, .handler = name, .biz_id = {}, .state = state::waiting});
    }
    graph.edges = {{0, 1}, {1, 0}};
    CHECK(tree_text(graph) == "* a  waiting  a\n"
                              "  - b  waiting  b\n"
                              "    * a  waiting  a  (above)\n");
}

TEST_CASE("a bar says how far a command is, also when there turned out to be more") {
    CHECK(bar_text(0, 4, "x") == "[--------------------]   0%  x");
    CHECK(bar_text(2, 4, "x") == "[##########----------]  50%  x");
    CHECK(bar_text(5, 4, "x") == "[####################] 100%  x");
    CHECK(bar_text(5, 0, "x") == "x");
}

TEST_CASE("the live view fits any window") {
    top_view view{.name_space = "default", .queues = {}, .workers = {}, .now = now};
    for (int i = 0; i < 30; ++i) {
        errand::queue_info queue;
        queue.name = "a queue with a long name " + std::to_string(i);
        queue.tasks[state::ready] = 1'000'000;
        view.queues.push_back(queue);
    }
    for (const auto width : {5U, 40U, 80U, 200U}) {
        std::istringstream lines{frame_text(view, {width, 12})};
        std::size_t count = 0;
        for (std::string line; std::getline(lines, line); ++count) CHECK(width_of(line) <= width);
        CHECK(count == 12);
    }
}

TEST_CASE("the live view says which shards are missing") {
    top_view view{.name_space = "default", .queues = {}, .workers = {}, .now = now, .away = {1, 3}};
    CHECK_THAT(frame_text(view, {80, 12}),
               ContainsSubstring("shards 1, 3 do not answer: what they keep is missing here"));
    view.away.clear();
    CHECK_THAT(frame_text(view, {80, 12}), !ContainsSubstring("missing"));
}

TEST_CASE("completion knows every command with its options, states and queues") {
    const auto program = describe_program();
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const auto script = completion_script(*program, shell);
        for (const auto* command : program->get_subcommands([](const CLI::App*) { return true; })) {
            INFO(shell << ' ' << command->get_name());
            CHECK_THAT(script, ContainsSubstring(command->get_name()));
            for (const auto* option : command->get_options()) {
                for (const auto& name : option->get_lnames()) CHECK_THAT(script, ContainsSubstring(name));
            }
        }
        CHECK_THAT(script, ContainsSubstring("waiting delayed ready working retry success dead"));
        CHECK_THAT(script, ContainsSubstring("errand queues --names"));
        CHECK_THAT(script, ContainsSubstring("keep_first reject replace"));
        CHECK_THAT(script, ContainsSubstring("bash zsh fish"));
    }
    CHECK_THROWS_AS(completion_script(*program, "tcsh"), errand::usage_error);
}
