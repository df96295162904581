// The commands that change something, run as a program on a real Redis.
#include "cli/office.hpp"
#include "cli/text.hpp"
#include "support/backing.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::blocked;
using cli_test::broken;
using cli_test::each;
using cli_test::office;
using errand::state;

TEST_CASE("retry runs delayed tasks now, and names those that it cannot", "[cli]") {
    office t;
    const auto a = t.submit(1, {.delay = 1h});
    const auto b = t.submit(2, {.delay = 1h});
    CHECK(t.errand({"retry", a.id()}).code == 0);
    CHECK(t.info(a).state == state::ready);
    auto unknown = a.id();
    unknown.back() = unknown.back() == '0' ? '1' : '0';
    const auto got = t.errand({"retry", a.id(), b.id(), unknown, "nonsense", "--json"});
    CHECK(got.code == 1);
    CHECK(got.json().at("done").as_array().size() == 1);
    CHECK(got.json().at("failed").as_array().size() == 3);
    CHECK_THAT(got.err, ContainsSubstring("it is ready") && ContainsSubstring("no task has this id") &&
                            ContainsSubstring("\"nonsense\" is not a task's id"));
    CHECK(t.info(b).state == state::ready);
    t.submit(3, {.delay = 1h});
    CHECK(t.answer({"retry", "--all", "--state", "delayed", "--yes"}).at("changed") == 1);
    CHECK(t.answer({"retry", "--all", "--yes"}).at("matched") == 0);
}

TEST_CASE("who retries a dead task, or revives one that is tried again, hears of the other command",
          "[cli]") {
    office t;
    broken = true;
    t.start();
    const auto dead = t.submit(1);
    const auto later = t.submit(2, {.delay = 1h});
    t.all_are(state::dead, 1);
    CHECK_THAT(t.errand({"retry", dead.id()}).err,
               ContainsSubstring("; errand revive " + dead.id() + " starts it again"));
    CHECK_THAT(t.errand({"revive", later.id()}).err,
               ContainsSubstring("; errand retry " + later.id() + " runs it now"));
}

TEST_CASE("who acts on a task may name it by its biz_id", "[cli]") {
    office t;
    const auto h = t.submit(1, {.biz_id = "o-1", .delay = 1h});
    const auto retried = t.errand({"retry", "o-1", "--json"});
    CHECK(retried.code == 0);
    CHECK(retried.json().at("done").as_array() == boost::json::array{h.id()});
    CHECK(t.info(h).state == state::ready);
    CHECK(t.errand({"change", "chore:o-1", "--args", "[8]"}).out == "changed " + h.id() + '\n');
    CHECK(t.errand({"delete", "o-1"}).code == 0);
    const auto gone = t.errand({"delete", "o-1"});
    CHECK(gone.code == 1);
    CHECK_THAT(gone.err, ContainsSubstring("errand: o-1: \"o-1\" is not a task's id, nor the biz_id of one"));
    CHECK(t.errand({"change", "o-1", "--args", "[8]"}).code == 2);
}

TEST_CASE("from standard input a line is one biz_id, blanks and all", "[cli]") {
    office t;
    const auto meant = t.submit(1, {.biz_id = "order 7"});
    const auto other = t.submit(2, {.biz_id = "7"});
    CHECK(t.errand({"cancel", "-"}, "order 7\n\n").code == 0);
    CHECK(t.info(meant).state == state::cancelled);
    CHECK(t.info(other).state == state::ready);
}

TEST_CASE("cancel and delete take ids from standard input", "[cli]") {
    office t;
    std::string ids;
    for (int i = 0; i < 5; ++i) ids += t.submit(i).id() + '\n';
    auto got = t.errand({"cancel", "-"}, ids);
    CHECK(got.code == 0);
    CHECK_THAT(got.out, ContainsSubstring("cancelled 5 of 5 tasks"));
    CHECK(t.count(state::cancelled) == 5);
    got = t.errand({"delete", "-", "--dry-run"}, ids);
    CHECK_THAT(got.out, ContainsSubstring("would have deleted 5 of 5 tasks"));
    CHECK(t.count(state::cancelled) == 5);
    got = t.errand({"delete", "-", "--json"}, ids);
    CHECK(got.json().at("done").as_array().size() == 5);
    CHECK(t.errand({"delete", "-"}, ids).code == 1);
}

TEST_CASE("what is done to all that match must be agreed to", "[cli]") {
    office t;
    t.let_die(4);
    const auto refused = t.errand({"revive", "--all"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, ContainsSubstring("--yes"));
    CHECK(t.count(state::dead) == 4);
    const auto dry = t.answer({"revive", "--all", "--dry-run", "--error", "host 1"});
    CHECK(dry.at("matched") == 1);
    CHECK(dry.at("dry_run") == true);
    CHECK(t.count(state::dead) == 4);
    CHECK(t.answer({"revive", "--all", "--yes", "--limit", "1"}).at("changed") == 1);
    t.all_are(state::dead, 3);
    CHECK_THAT(t.errand({"revive", "--all", "--yes"}).out,
               ContainsSubstring("revived 3 of 3 tasks that matched"));
    t.all_are(state::success, 4);
    CHECK(t.errand({"delete", "--all", "--yes"}).code == 2);
    CHECK(t.answer({"delete", "--all", "--state", "success", "--yes"}).at("changed") == 4);
    CHECK(t.errand({"cancel", "--all", "--state", "success", "--yes"}).code == 2);
    t.submit(1, {.delay = 1h});
    CHECK(t.answer({"cancel", "--all", "--state", "delayed", "--yes"}).at("changed") == 1);
}

TEST_CASE("a long revival that is interrupted says how far it came and goes on when begun again", "[cli]") {
    office t;
    constexpr int n = 20'000;
    t.let_die(n);
    t.stop();
    errand::test::cli_process revival{{"revive", "--all", "--yes", "--json"}, t.variables(), ""};
    errand::test::eventually([&] { return t.count(state::dead) < n; });
    revival.signal(SIGINT);
    const auto got = revival.wait();
    CHECK(got.code == 130);
    const auto document = got.json();
    CHECK(document.at("interrupted") == true);
    const auto changed = document.at("changed").as_int64();
    CHECK(changed > 0);
    CHECK(changed < n);
    CHECK(t.count(state::dead) == static_cast<std::size_t>(n - changed));
    CHECK_THAT(got.err, ContainsSubstring("goes on with the rest"));
    CHECK(t.answer({"revive", "--all", "--yes"}).at("changed") == n - changed);
    CHECK(t.count(state::ready) == n);
}

TEST_CASE("reschedule gives tasks another due time, one by one or all that match", "[cli]") {
    office t;
    const auto a = t.submit(1);
    const auto b = t.submit(2, {.delay = 1h});
    CHECK(t.errand({"reschedule", a.id(), "--at", "2200-12-01T08:00:00Z"}).code == 0);
    const errand::time_point then = std::chrono::sys_days{std::chrono::year{2200} / 12 / 1} + 8h;
    CHECK(t.info(a).due_at == then);
    CHECK(t.answer({"reschedule", "--all", "--at", "2200-12-01T09:00:00+01:00", "--yes"}).at("changed") == 1);
    CHECK(t.info(b).due_at == then);
    CHECK(t.answer({"reschedule", "--all", "--in", "5m", "--dry-run"}).at("matched") == 2);
    CHECK(t.answer({"reschedule", "--all", "--in", "5m", "--yes"}).at("changed") == 2);
    CHECK(t.info(a).due_at.value() < then);
    CHECK(t.errand({"reschedule", a.id(), b.id(), "--now"}).code == 0);
    CHECK(t.count(state::ready) == 2);
    CHECK(t.errand({"reschedule", a.id()}).code == 2);
    CHECK(t.errand({"reschedule", a.id(), "--now", "--in", "5m"}).code == 2);
    CHECK(t.errand({"reschedule", a.id(), "--in", "5"}).code == 2);
}

TEST_CASE("change gives a task that has never started other arguments, priority or due time", "[cli]") {
    office t;
    const auto h = t.submit(1, {.delay = 1h});
    CHECK(t.errand({"change", h.id(), "--args", "[7]", "--priority", "4"}).out == "changed " + h.id() + '\n');
    CHECK(t.info(h).args == boost::json::array{7});
    CHECK(t.info(h).state == state::delayed);
    CHECK(t.errand({"change", h.id()}).code == 2);
    CHECK(t.errand({"change", h.id(), "--args", "7"}).code == 2);
    CHECK(t.errand({"change", h.id(), "--priority", "10"}).code == 2);
    CHECK(t.errand({"change", h.id(), "--now", "--in", "5m"}).code == 2);
    CHECK(t.answer({"change", h.id(), "--now"}).at("changed") == true);
    t.start();
    CHECK(t.wait(h) == 14);
    const auto late = t.errand({"change", h.id(), "--now", "--json"});
    CHECK(late.code == 1);
    CHECK(late.json().at("changed") == false);
    CHECK_THAT(late.err, ContainsSubstring("it has ended as success") &&
                             ContainsSubstring("errand perform chore submits another one"));
    broken = true;
    const auto fails = t.submit(2, {.max_retry = 1});
    t.all_are(state::retry, 1);
    CHECK_THAT(t.errand({"change", fails.id(), "--args", "[3]"}).err,
               ContainsSubstring("has started before") &&
                   ContainsSubstring("errand cancel ends it and errand perform chore submits another one"));
    const auto dead = t.submit(4, {.max_retry = 0});
    errand::test::eventually([&] { return t.info(dead).state == state::dead; });
    CHECK_THAT(t.errand({"change", dead.id(), "--now"}).err,
               ContainsSubstring("it is dead: other arguments (--args, without a time) start it again"));
    broken = false;
    CHECK(t.errand({"change", dead.id(), "--args", "[8]"}).out == "changed " + dead.id() + '\n');
    CHECK(t.wait(dead) == 16);
    const auto unknown = t.errand({"change", "0198c5d2-0000-7000-8000-000000000000", "--now"});
    CHECK(unknown.code == 1);
    CHECK_THAT(unknown.err, ContainsSubstring("no task has this id"));
}

TEST_CASE("queues are paused and resumed", "[cli]") {
    office t;
    CHECK(t.errand({"pause", "chores", "mail"}).out == "queue chores is paused\nqueue mail is paused\n");
    CHECK(t.answer({"pause", "chores"}).at("queues").at(0).at("changed") == false);
    t.start();
    t.submit(1);
    CHECK_THAT(t.errand({"queues"}).out, ContainsSubstring("paused"));
    CHECK(t.answer({"resume", "chores"}).at("queues").at(0).at("paused") == false);
    t.all_are(state::success, 1);
    CHECK(t.errand({"resume", "chores"}).out == "queue chores was not paused already\n");
}

TEST_CASE("perform submits by wire name, and waits for the result when asked to", "[cli]") {
    office t;
    t.start();
    const auto got = t.errand({"perform", "chore", "[21]", "--queue", "chores", "--wait", "20s"});
    CHECK(got.code == 0);
    REQUIRE(got.lines().size() == 2);
    CHECK(got.lines()[1] == "42");
    const auto later = t.answer({"perform", "chore", "[1]", "--in", "1h", "--biz-id", "b", "--tag", "x",
                                 "--tag", "y", "--header", "a=b=c", "--priority", "3", "--max-retry", "2"});
    const auto task = t.answer({"show", std::string{later.at("id").as_string()}});
    CHECK(task.at("tags").as_array().size() == 2);
    CHECK(task.at("headers").at("a") == "b=c");
    CHECK(task.at("state") == "delayed");
    CHECK(task.at("max_retry") == 2);
    CHECK(t.answer({"perform", "chore", "[2]", "--biz-id", "b"}).at("duplicate") == true);

    const auto past = t.answer({"perform", "chore", "[3]", "--queue", "nobody", "--in=-1h"});
    CHECK(t.answer({"show", std::string{past.at("id").as_string()}}).at("state") == "ready");

    broken = true;
    const auto failed = t.errand({"perform", "chore", "[7]", "--queue", "chores", "--wait", "20s", "--json"});
    CHECK(failed.code == 1);
    CHECK(failed.json().at("state") == "dead");
    CHECK_THAT(failed.err, ContainsSubstring("no route to host 7"));
    CHECK(t.errand({"perform", "chore", "7"}).code == 2);
    CHECK(t.errand({"perform", "chore", "--in", "1h", "--at", "2200-12-01T08:00:00Z"}).code == 2);
    CHECK(t.errand({"perform", "chore", "--in", "1h", "--wait", "1ms"}).code == 1);
}

TEST_CASE("perform gives the rules of a submission", "[cli]") {
    office t;
    const auto perform = [&](const std::string& args, std::vector<std::string> more) {
        std::vector<std::string> words{"perform", "chore", args, "--queue", "chores", "--in", "1h"};
        words.insert(words.end(), more.begin(), more.end());
        return t.errand(words);
    };
    const auto first = perform("[1]", {"--biz-id", "b", "--retention", "2d", "--expires-after", "30m"});
    REQUIRE(first.lines().size() == 1);
    CHECK(perform("[2]", {"--biz-id", "b", "--on-duplicate", "reject"}).code == 1);
    CHECK(perform("[3]", {"--biz-id", "b", "--on-duplicate", "replace", "--retention", "2d"}).lines() ==
          first.lines());
    CHECK(t.answer({"show", first.lines()[0]}).at("args").at(0) == 3);
    CHECK(perform("[4]", {"--biz-id", "b", "--on-duplicate", "merge"}).code == 2);
    const auto after = perform("[5]", {"--after", first.lines()[0], "--on-failed-dependency", "run"});
    REQUIRE(after.lines().size() == 1);
    CHECK(t.errand({"cancel", first.lines()[0]}).code == 0);
    const auto cancelled = t.answer({"show", first.lines()[0]});
    const auto at = [&](const char* member) {
        return errand::cli::parse_instant(std::string{cancelled.at(member).as_string()}).value();
    };
    CHECK(at("kept_until") - at("finished_at") == std::chrono::days{2});
    t.start();
    t.all_are(state::delayed, 1);
    CHECK(t.answer({"show", after.lines()[0]}).at("state") == "delayed");
}

TEST_CASE("every way to fail has its exit code and one sentence", "[cli]") {
    office t;
    const auto one_line = [](const errand::test::cli_result& got) {
        INFO(got.err);
        CHECK(got.out.empty());
        CHECK(std::ranges::count(got.err, '\n') == 1);
        CHECK(got.err.starts_with("errand: "));
        return got.code;
    };
    CHECK(one_line(t.errand({})) == 2);
    CHECK(one_line(t.errand({"lst"})) == 2);
    CHECK(one_line(t.errand({"queues", "--colour"})) == 2);
    CHECK(one_line(t.errand({"list"})) == 2);
    CHECK(one_line(t.errand({"list", "gone"})) == 2);
    CHECK(one_line(t.errand({"list", "dead", "--after", "nonsense"})) == 2);
    CHECK(one_line(t.errand({"list", "dead", "--after", "nonsense", "--json"})) == 2);
    CHECK(one_line(t.errand({"list", "dead", "--limit", "many"})) == 2);
    CHECK(one_line(t.errand({"show", "nonsense"})) == 1);
    CHECK(one_line(t.errand({"show", "0198c5d2-0000-7000-8000-000000000000"})) == 1);
    CHECK(one_line(t.errand({"graph", "0198c5d2-0000-7000-8000-000000000000"})) == 1);
    CHECK(one_line(t.errand({"revive"})) == 2);
    CHECK(one_line(t.errand({"revive", "x", "--all"})) == 2);
    CHECK(one_line(t.errand({"revive", "x", "--queue", "y"})) == 2);
    CHECK(one_line(t.errand({"completion", "tcsh"})) == 2);
    CHECK(one_line(t.errand({"queues"}, "", {{"ERRAND_STORE", ""}})) == 2);
    CHECK(one_line(t.errand({"queues"}, "", {{"ERRAND_THREADS", "many"}})) == 2);
    CHECK(one_line(t.errand({"queues", "--store", "http://x"})) == 2);
    CHECK(one_line(t.errand({"queues", "--store", "redis+unix:///nowhere", "--store-timeout", "200ms"})) ==
          3);
    CHECK(t.errand({"--help"}).code == 0);
    CHECK(t.errand({"list", "--help"}).code == 0);
    CHECK_THAT(t.errand({"--help"}).out, ContainsSubstring("130 interrupted"));
}

TEST_CASE("store and namespace are given by option as well", "[cli]") {
    office t;
    t.submit(1);
    const std::map<std::string, std::string> none{{"ERRAND_STORE", ""}, {"ERRAND_NAME_SPACE", ""}};
    const auto& with = t.app.settings();
    const auto got =
        t.errand({"queues", "--names", "--store", with.store, "--namespace", with.name_space}, "", none);
    CHECK(got.out == "chores\n");
    CHECK(t.errand({"--store", with.store, "--namespace", with.name_space, "queues", "--names"}, "", none)
              .out == "chores\n");
    CHECK(t.errand({"queues", "--names", "--namespace", "another"}).out.empty());
}

TEST_CASE("version needs no store", "[cli]") {
    office t;
    const std::map<std::string, std::string> none{{"ERRAND_STORE", ""}};
    const auto text = t.errand({"version"}, "", none).out;
    CHECK_THAT(text, ContainsSubstring("errand "));
    CHECK(t.errand({"--version"}, "", none).out == text);
    CHECK(t.answer({"version"}).at("version").is_string());
}

TEST_CASE("the completion script is one that bash reads, and completes commands, states and queues",
          "[cli]") {
    office t;
    t.submit(1);
    const auto script = errand::test::shared_redis().folder() / "completion";
    std::ofstream{script} << t.errand({"completion", "bash"}).out;
    const auto bash = [&](const std::string& text) {
        std::string line =
            "PATH=" + std::filesystem::path{ERRAND_CLI_PROGRAM}.parent_path().string() + ":$PATH";
        for (const auto& [name, value] : t.variables()) line += ' ' + name + '=' + value;
        return std::system((line + " bash -c '" + text + "'").c_str());
    };
    CHECK(bash("bash -n " + script.string()) == 0);
    const auto completes = [&](const std::string& words, const std::string& to) {
        return bash(". " + script.string() + "; COMP_WORDS=(" + words +
                    " \"\"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); " +
                    "_errand; [[ \" ${COMPREPLY[*]} \" == *\" " + to + " \"* ]]") == 0;
    };
    CHECK(completes("errand", "revive"));
    CHECK(completes("errand list", "dead"));
    // Completion waits for the store for 300 ms only.
    errand::test::eventually([&] { return completes("errand list --queue", "chores"); });
    errand::test::eventually([&] { return completes("errand pause", "chores"); });
    CHECK(completes("errand completion", "fish"));
    CHECK(completes("errand outbox", "status"));
    CHECK(completes("errand perform --on-duplicate", "replace"));
    CHECK_FALSE(completes("errand list --tag", "dead"));
}

TEST_CASE("doctor finds damage that was done by hand, and repairs it", "[cli]") {
    office t;
    auto got = t.errand({"doctor"});
    CHECK(got.code == 0);
    CHECK_THAT(got.out, ContainsSubstring("in order"));
    const auto h = t.submit(1, {.delay = 1h});
    const auto& space = t.app.settings().name_space;
    errand::test::shared_redis().command({"DEL", "errand:{" + space + ".0}:due:chores"});
    got = t.errand({"doctor"});
    CHECK(got.code == 1);
    CHECK_THAT(got.out, ContainsSubstring("lost") && ContainsSubstring(h.id()));
    CHECK_THAT(got.err, ContainsSubstring("--repair"));
    const auto repaired = t.answer({"doctor", "--repair"});
    CHECK(repaired.at("repaired") == 1);
    CHECK(each(repaired.at("findings"), "subject").contains(h.id()));
    CHECK(t.answer({"doctor"}).at("found") == 0);
    CHECK(t.info(h).state == state::ready);
}

TEST_CASE("outbox makes its tables, prints them and says what waits", "[cli]") {
    office t;
    const auto url = "sqlite://" + errand::test::fresh_database();
    CHECK(t.errand({"outbox", "status", "--db", url}).code == 1);
    CHECK(t.answer({"outbox", "install", "--db", url}).at("installed").as_bool());
    CHECK(t.answer({"outbox", "status", "--db", url}).at("backlog") == 0);
    CHECK(t.errand({"outbox", "status", "--db", url}).out == "nothing waits in the outbox\n");
    for (const std::string dialect : {"sqlite", "postgres", "mysql"}) {
        const auto printed = t.errand({"outbox", "sql", "--dialect", dialect});
        CHECK(printed.code == 0);
        CHECK(printed.out.find("CREATE TABLE IF NOT EXISTS errand_outbox(") != std::string::npos);
    }
    CHECK(t.errand({"outbox", "status"}).code == 2);
    CHECK(t.errand({"outbox", "status", "--db", "oracle://x"}).code == 2);
}
