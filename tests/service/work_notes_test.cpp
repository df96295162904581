// What programs over HTTP tell of a task that they work on: how far it is, lines of its log, its stages.
#include "service/programs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using service_test::counter;
using service_test::foreign_task;
using service_test::look;
using service_test::program;
using service_test::success;

TEST_CASE("progress and log lines stand with the task, and stay when it ends", "[service]") {
    counter t;
    const auto id = t.submit(foreign_task);
    program py{t};
    const auto task = py.claim_one();
    CHECK(py.say(task, ":progress", R"("done": 0.25, "text": "a quarter")").status == 200);
    CHECK(py.say(task, ":log", R"("lines": ["one", "two"])").status == 200);
    CHECK(py.say(task, ":log", R"("lines": ["three"])").status == 200);
    const auto now = look(t, id);
    CHECK(now.at("progress") == 0.25);
    CHECK(now.at("progress_text") == "a quarter");
    REQUIRE(now.at("log").as_array().size() == 3);
    CHECK_THAT(std::string{now.at("log").at(2).as_string()}, ContainsSubstring("info three"));
    CHECK(py.report(task, success).status == 200);
    CHECK(look(t, id).at("log") == now.at("log"));
    std::string lines = "\"0\"";
    for (int i = 1; i <= 100; ++i) lines += ", \"" + std::to_string(i) + '"';
    CHECK(py.say(task, ":log", "\"lines\": [" + lines + ']').status == 400);
}

TEST_CASE("stages of one attempt are there for the next, and stay as they are", "[service]") {
    counter t;
    const auto id = t.submit(foreign_task);
    program py{t};
    const auto first = py.claim_one();
    CHECK(py.say(first, ":stages").json().at("stages").as_array().empty());
    const auto kept = py.say(first, ":stage", R"("name": "load", "result": {"bytes": 7}, "length_ms": 20)");
    CHECK(kept.status == 200);
    CHECK(kept.json().at("attempt") == 1);
    const auto again = py.say(first, ":stage", R"("name": "load", "result": "another")");
    CHECK(again.body == kept.body);
    CHECK(py.report(first, R"("outcome": "failure", "error": {"message": "no"}, "delay_ms": 0)").status ==
          200);
    const auto second = py.claim_one();
    const auto all = py.say(second, ":stages").json();
    REQUIRE(all.at("stages").as_array().size() == 1);
    CHECK(all.at("stages").at(0).at("name") == "load");
    CHECK(all.at("stages").at(0).at("result").at("bytes") == 7);
    CHECK(all.at("stages").at(0).at("length_ms") == 20);
    CHECK(look(t, id).at("stages").at(0).at("name") == "load");
    CHECK(py.say(second, ":stage", R"("name": "s", "result": ")" + std::string(1024 * 1024, 'x') + '"')
              .status == 413);
}
