// The commands that look, run as a program on a real Redis.
#include "cli/office.hpp"
#include "cli/text.hpp"
#include "support/places.hpp"
#include "support/redis_server.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::blocked;
using cli_test::broken;
using cli_test::each;
using cli_test::office;
using errand::state;

TEST_CASE("queues shows every queue with its states", "[cli]") {
    office t;
    CHECK_THAT(t.errand({"queues"}).out, ContainsSubstring("no queue has had a task yet"));
    CHECK(t.answer({"queues"}).at("queues").as_array().empty());
    t.submit(1);
    t.submit(2, {.delay = 1h});
    t.submit(3, {.queue = "other"});
    const auto text = t.errand({"queues"});
    CHECK(text.code == 0);
    CHECK(text.lines().size() == 3);
    CHECK_THAT(text.out,
               ContainsSubstring("chores") && ContainsSubstring("other") && ContainsSubstring("oldest"));
    const auto all = t.answer({"queues"}).at("queues");
    CHECK(each(all, "name") == std::set<std::string>{"chores", "other"});
    CHECK(all.at(0).at("tasks").at("ready") == 1);
    CHECK(all.at(0).at("tasks").at("delayed") == 1);
    CHECK(all.at(0).at("tasks").as_object().size() == 9);
    CHECK(t.errand({"queues", "--names"}).out == "chores\nother\n");
}

TEST_CASE("what looks shows what those servers keep that are there, and says which is missing", "[cli]") {
    office t;
    errand::test::redis_server other;
    const auto both = errand::test::shared_redis().url() + ',' + other.url();
    const auto look = [&](const std::string& what) {
        return t.errand({what, "--store", both, "--namespace", t.app.settings().name_space + "-both",
                         "--store-timeout", "2s"});
    };
    CHECK(look("queues").code == 0);
    other.kill();
    for (const std::string what : {"queues", "workers", "history"}) {
        const auto seen = look(what);
        CHECK(seen.code == 1);
        CHECK_FALSE(seen.out.empty());
        CHECK_THAT(seen.err, ContainsSubstring("shard 1 does not answer: what it keeps is missing here"));
    }
}

TEST_CASE("list shows a page and says where the next one begins", "[cli]") {
    office t;
    for (int i = 0; i < 7; ++i) t.submit(i, {.delay = 1h});
    const auto first = t.errand({"list", "delayed", "--limit", "4"});
    const auto lines = first.lines();
    REQUIRE(lines.size() == 6);
    REQUIRE(lines.back().starts_with("more: --after="));
    const auto second = t.errand({"list", "delayed", "--limit", "4", lines.back().substr(6)});
    CHECK(second.lines().size() == 4);
    CHECK_THAT(second.out, !ContainsSubstring("more:"));

    const auto page = t.answer({"list", "delayed", "--limit", "4", "--oldest-first"});
    REQUIRE(page.at("tasks").as_array().size() == 4);
    CHECK(page.at("tasks").at(0).at("args").at(0) == 0);
    CHECK(page.at("next").is_string());
    const auto all = t.answer({"list", "delayed", "--all"});
    CHECK(each(all.at("tasks"), "id").size() == 7);
    CHECK(all.at("next").is_null());
    CHECK(t.errand({"list", "delayed", "--all", "--ids"}).lines().size() == 7);
    CHECK(t.errand({"list", "delayed", "--all"}).lines().size() == 8);
}

TEST_CASE("list is filtered as the operator asks", "[cli]") {
    office t;
    t.submit(1, {.biz_id = "one", .delay = 1h, .tags = {"red"}});
    t.submit(2, {.queue = "other", .delay = 1h});
    const auto found = [&](const std::vector<std::string>& filter) {
        std::vector<std::string> words{"list", "delayed"};
        words.insert(words.end(), filter.begin(), filter.end());
        return each(t.answer(words).at("tasks"), "args");
    };
    CHECK(found({"--queue", "other"}) == std::set<std::string>{"[2]"});
    CHECK(found({"--biz-id", "one"}) == std::set<std::string>{"[1]"});
    CHECK(found({"--tag", "red"}) == std::set<std::string>{"[1]"});
    CHECK(found({"--handler", "chore"}).size() == 2);
    CHECK(found({"--handler", "stranger"}).empty());
    CHECK_THAT(t.errand({"list", "delayed", "--tag", "blue"}).out, ContainsSubstring("no task is delayed"));
    t.let_die(3);
    const auto dead = t.answer({"list", "dead", "--error", "host 1"}).at("tasks");
    CHECK(each(dead, "args") == std::set<std::string>{"[1]"});
    CHECK_THAT(t.errand({"list", "dead"}).out, ContainsSubstring("no route to host"));
}

TEST_CASE("on a SQLite file the workers of other processes are seen that have a slot free", "[cli]") {
    const auto folder = errand::test::temporary_folder("idle");
    {
        auto settings = errand::test::fresh_settings();
        settings.store = "sqlite://" + (folder / "tasks.db").string();
        settings.shards = 0;
        settings.concurrency = 1;
        office t{settings};
        const auto idle = [&] {
            return t.answer({"queues"}).at("queues").at(0).at("idle_workers").to_number<int>();
        };
        blocked = true;
        const auto h = t.submit(1);
        CHECK(idle() == 0);
        t.start();
        errand::test::eventually([&] { return t.info(h).state == state::working; });
        CHECK(idle() == 0);
        blocked = false;
        t.wait(h);
        errand::test::eventually([&] { return idle() == 1; });
        t.stop();
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("show finds a task by its biz_id, and with its handler where several have it", "[cli]") {
    office t;
    const auto h = t.submit(1, {.biz_id = "o:3", .delay = 1h});
    const auto shown = [&](const std::string& what) {
        return std::string{t.answer({"show", what}).at("id").as_string()};
    };
    CHECK(shown("chore:o:3") == h.id());
    CHECK(shown("o:3") == h.id());  // no worker has said yet which handlers there are
    t.run(t.app.perform("other", {}, {.biz_id = "o:3", .queue = "chores", .delay = 1h}));
    const auto both = t.errand({"show", "o:3"});
    CHECK(both.code == 2);
    CHECK_THAT(both.err, ContainsSubstring("2 tasks have the biz_id \"o:3\"") &&
                             ContainsSubstring("chore:o:3") && ContainsSubstring("other:o:3"));
    CHECK(shown("chore:o:3") == h.id());
    CHECK_THAT(t.errand({"graph", "chore:o:3"}).out, ContainsSubstring(h.id()));
    const auto none = t.errand({"show", "o-4"});
    CHECK(none.code == 1);
    CHECK_THAT(none.err, ContainsSubstring("no task has the id or the biz_id o-4"));
}

TEST_CASE("show says that no worker has a task's handler, and which name is the nearest", "[cli]") {
    office t;
    t.start();
    const auto h = t.run(t.app.perform("chroe", {1}, {.queue = "chores"}));
    errand::test::eventually([&] { return t.info(h).state == state::delayed; });
    CHECK_THAT(t.errand({"show", h.id()}).out,
               ContainsSubstring("stands aside: no worker has a handler of the name chroe (the nearest is "));
}

TEST_CASE("a list fits the terminal's width and keeps whole ids", "[cli]") {
    office t;
    const auto h = t.submit(1, {.biz_id = std::string(80, 'b'), .delay = 1h});
    for (const auto* command : {"list", "queues", "top"}) {
        std::vector<std::string> words{command};
        if (words[0] == "list") words.emplace_back("delayed");
        if (words[0] == "top") words.emplace_back("--once");
        const auto got = t.errand(words, "", {{"COLUMNS", "60"}});
        CHECK(got.code == 0);
        for (const auto& line : got.lines()) {
            INFO(line);
            CHECK(errand::cli::width_of(line) <= 60);
        }
        if (words[0] == "list") CHECK_THAT(got.out, ContainsSubstring(h.id()));
    }
    CHECK_THAT(t.errand({"list", "delayed"}).out, ContainsSubstring(std::string(80, 'b')));
}

TEST_CASE("show tells all of a task: arguments, attempts, stages, log, result and why it waits", "[cli]") {
    office t;
    const auto waits = t.submit(5, {.headers = {{"trace", "t-1"}}, .tags = {"red"}});
    CHECK_THAT(t.errand({"show", waits.id()}).out, ContainsSubstring("no worker serves its queue chores"));
    CHECK(t.errand({"pause", "chores"}).code == 0);
    CHECK_THAT(t.errand({"show", waits.id()}).out, ContainsSubstring("paused"));
    CHECK(t.errand({"resume", "chores"}).code == 0);
    t.start();
    t.wait(waits);
    const auto text = t.errand({"show", waits.id()}).out;
    for (const auto* part :
         {"[5]", "trace: t-1", "red", "success", "double", "chore 5", "result       10", "attempt      1"}) {
        CHECK_THAT(text, ContainsSubstring(part));
    }
    const auto task = t.answer({"show", waits.id()});
    CHECK(task.at("result") == 10);
    CHECK(task.at("stages").at(0).at("name") == "double");
    CHECK(task.at("headers").at("trace") == "t-1");
    CHECK(task.at("why").is_string());
    const auto kept_until = errand::cli::parse_instant(std::string{task.at("kept_until").as_string()});
    const auto finished_at = errand::cli::parse_instant(std::string{task.at("finished_at").as_string()});
    CHECK(kept_until.value() - finished_at.value() == std::chrono::days{180});

    broken = true;
    const auto fails = t.submit(6);
    t.all_are(state::dead, 1);
    const auto error = t.answer({"show", fails.id()}).at("errors").at(0);
    CHECK_THAT(std::string{error.at("message").as_string()}, ContainsSubstring("no route to host 6"));
    CHECK(errand::cli::parse_instant(std::string{error.at("at").as_string()}));
    CHECK_THAT(t.errand({"show", fails.id()}).out, ContainsSubstring("no route to host 6"));
}

TEST_CASE("graph shows what is connected as a tree, for drawing programs and as JSON", "[cli]") {
    office t;
    const auto a = t.submit(1, {.delay = 1h});
    const auto b = t.submit(2, {.after = {a}});
    const auto text = t.errand({"graph", b.id()});
    REQUIRE(text.lines().size() == 2);
    CHECK_THAT(text.lines()[0], ContainsSubstring(a.id()));
    CHECK_THAT(text.lines()[1], ContainsSubstring("  * chore  waiting  " + b.id()));
    CHECK_THAT(t.errand({"graph", b.id(), "--dot"}).out, ContainsSubstring("digraph"));
    CHECK_THAT(t.errand({"graph", b.id(), "--mermaid"}).out, ContainsSubstring("flowchart"));
    CHECK(t.errand({"graph", b.id(), "--dot", "--mermaid"}).code == 2);
    const auto graph = t.answer({"graph", b.id()});
    CHECK(graph.at("edges").at(0).at("from") == boost::json::string{a.id()});
    CHECK(graph.at("edges").at(0).at("to") == boost::json::string{b.id()});
    CHECK(graph.at("complete") == true);
}

TEST_CASE("workers, history and top show what runs and what ran", "[cli]") {
    office t;
    CHECK_THAT(t.errand({"workers"}).out, ContainsSubstring("no worker"));
    CHECK_THAT(t.errand({"history"}).out, ContainsSubstring("nothing ended"));
    t.start();
    t.wait(t.submit(1));
    blocked = true;
    const auto h = t.submit(2);
    t.all_are(state::working, 1);
    CHECK(t.errand({"workers"}).lines().size() == 2);
    CHECK_THAT(t.errand({"workers", "--tasks"}).out, ContainsSubstring(h.id()));
    const auto workers = t.answer({"workers"}).at("workers");
    REQUIRE(workers.as_array().size() == 1);
    CHECK(workers.at(0).at("running").at(0).at("id") == boost::json::string{h.id()});
    CHECK(workers.at(0).at("running").at(0).at("running_ms").is_int64());
    CHECK(workers.at(0).at("stopping") == false);

    const auto top = t.errand({"top", "--once"});
    CHECK(top.code == 0);
    CHECK_THAT(top.out, ContainsSubstring("1 worker, 1 of 100") && ContainsSubstring("chores") &&
                            ContainsSubstring(h.id()) && !ContainsSubstring("\x1b"));
    CHECK(t.answer({"top"}).at("workers").as_array().size() == 1);
    CHECK(t.errand({"top"}).code == 2);

    blocked = false;
    t.all_are(state::success, 2);
    CHECK_THAT(t.errand({"history", "--days", "1"}).out, ContainsSubstring("chores"));
    CHECK(t.answer({"history"}).at("days").at(0).at("success") == 2);
    CHECK(t.answer({"queues"}).at("queues").at(0).at("finished") == 2);
    CHECK(t.errand({"history", "--days", "0"}).code == 2);
}
