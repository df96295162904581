// Files that are imported by the program `errand`, also where it is killed meanwhile; and what is exported and imported again.
#include "cli/import_file.hpp"
#include "cli/office.hpp"
#include "cli/pty.hpp"
#include "support/places.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::office;
using errand::state;
using errand::test::cli_process;
using errand::test::cli_terminal;
using errand::test::eventually;

namespace json = boost::json;

namespace {

// An office with a folder for files.
struct mill : office {
    std::filesystem::path folder = errand::test::temporary_folder("import");
    ~mill() { std::filesystem::remove_all(folder); }

    std::string path(const std::string& name) const { return (folder / name).string(); }
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream{path(name), std::ios::binary} << text;
        return path(name);
    }
    std::vector<json::value> lines_in(const std::string& name) const {
        std::vector<json::value> all;
        std::ifstream in{path(name)};
        for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
        return all;
    }
    json::value kept(const std::string& name) const {
        const auto list = answer({"import", "--list"});
        for (const auto& one : list.at("imports").as_array()) {
            if (one.at("name").as_string() == name) return one;
        }
        return nullptr;
    }
    std::size_t ended() {
        for (const auto& one : run(app.inspect().queues())) {
            if (one.name == "chores") return static_cast<std::size_t>(one.finished);
        }
        return 0;
    }
};

std::string chore_line(std::size_t number) {
    return R"({"handler":"chore","queue":"chores","args":[)" + std::to_string(number) + "]}\n";
}

std::string chores(std::size_t n) {
    std::string all;
    for (std::size_t i = 1; i <= n; ++i) all += chore_line(i);
    return all;
}

}  // namespace

TEST_CASE("import submits each line of a file once, and nothing when it is given again", "[cli]") {
    mill t;
    const auto file =
        t.file("a.jsonl", chores(2500) + "\n  \n" + R"({"handler":"chore","args":[1],"biz_id":"b"})" +
                              "\r\n" + R"({"handler":"chore","args":[2],"biz_id":"b"})");
    auto got = t.errand({"import", file, "--name", "n", "--queue", "chores"});
    CHECK(got.err.empty());
    CHECK(got.code == 0);
    CHECK(got.out == "imported 2504 lines: 2501 tasks accepted, 1 duplicates, 0 rejected\n");
    CHECK(t.count(state::ready) == 2501);
    got = t.errand({"import", file, "--name", "n", "--json"});
    CHECK(got.code == 0);
    CHECK(got.json().at("complete") == true);
    CHECK(got.json().at("accepted") == 2501);
    CHECK(t.count(state::ready) == 2501);
    CHECK(t.kept("n") == got.json());
}

TEST_CASE("an import that is killed goes on where it was, and each task runs once", "[cli]") {
    mill t;
    constexpr std::size_t good = 7000;
    std::string text;
    std::vector<std::size_t> bad;
    for (std::size_t i = 1, line = 1; i <= good; ++line) {
        if (line % 100 == 0) {
            text += R"({"handler":"chore","queue":"chores","args":[)" + std::to_string(line) + "}\n";
            bad.push_back(line);
        } else {
            text += chore_line(i++);
        }
    }
    const auto file = t.file("many.jsonl", text);
    std::vector<std::string> words{"import", file, "--name", "n", "--rejects", t.path("rejects")};
    t.start();
    for (std::size_t kill = 1; kill <= 5; ++kill) {
        auto slow = words;
        slow.insert(slow.end(), {"--rate", "4000/s"});
        const cli_process running{slow, t.variables(), {}};
        // In the middle of a batch, or just behind one.
        eventually([&] { return t.ended() + t.count(state::ready) >= kill * 1000 + 100 * kill; });
        running.signal(SIGKILL);
    }
    const auto got = t.errand(words);
    CHECK(got.code == 1);
    CHECK_THAT(got.err, ContainsSubstring(std::to_string(bad.size()) + " of " +
                                          std::to_string(good + bad.size()) + " lines were rejected"));
    eventually([&] { return t.count(state::success) == good; });
    CHECK(t.ended() == good);
    CHECK(t.kept("n").at("accepted") == good);
    CHECK(t.kept("n").at("duplicates") == 0);
    const auto rejects = t.lines_in("rejects");
    REQUIRE(rejects.size() == bad.size());
    for (std::size_t i = 0; i < bad.size(); ++i) {
        CHECK(rejects[i].at("line") == bad[i]);
        CHECK_THAT(std::string{rejects[i].at("reason").as_string()}, ContainsSubstring("the line"));
        CHECK(rejects[i].at("text").as_string() ==
              R"({"handler":"chore","queue":"chores","args":[)" + std::to_string(bad[i]) + "}");
    }
}

TEST_CASE("of two processes that work on one import one stops, and each line counts once", "[cli]") {
    mill t;
    constexpr std::size_t good = 5000;
    const auto file = t.file("a.jsonl", chores(good));
    t.start();
    cli_process first{{"import", file, "--name", "n", "--rate", "500/s"}, t.variables(), {}};
    eventually([&] { return t.ended() + t.count(state::ready) >= 1000; });
    const auto second = t.errand({"import", file, "--name", "n"});
    const auto got = first.wait();
    const auto& stopped = second.code == 0 ? got : second;
    CHECK_THAT(stopped.err, ContainsSubstring("another process works on the import \"n\""));
    CHECK(got.code + second.code == 1);
    eventually([&] { return t.count(state::success) == good; });
    CHECK(t.ended() == good);
}

TEST_CASE("a second process is not let to the rejects of an import that runs, and they stay", "[cli]") {
    mill t;
    std::string text;
    for (std::size_t i = 0; i < 20; ++i) text += chores(99) + "no task\n";
    const std::vector<std::string> words{"import",    t.file("a.jsonl", text), "--name", "n",
                                         "--rejects", t.path("rejects")};
    auto slow = words;
    slow.insert(slow.end(), {"--most-ready", "500"});
    cli_process first{slow, t.variables(), {}};
    // Then it waits for a worker.
    eventually([&] { return t.count(state::ready) == 495; });
    const auto got = t.errand(words);
    CHECK(got.code == 2);
    CHECK_THAT(got.err,
               ContainsSubstring("another process writes to ") && ContainsSubstring("let it end first"));
    t.start();
    CHECK(first.wait().code == 1);
    eventually([&] { return t.count(state::success) == 1980; });
    CHECK(t.lines_in("rejects").size() == 20);
}

TEST_CASE("what is wrong with a line is said, and the others are taken", "[cli]") {
    mill t;
    const auto file = t.file("a.jsonl", chore_line(1) + R"({"handler":"chore","args":[2],"priority":11})" +
                                            "\n" + R"({"handler":"chore","args":[3],"at":"tomorrow"})" +
                                            "\n" + "{\"handler\":\"caf\xE9\"}\n" + "{\"args\":[\"" +
                                            std::string(std::size_t{2} << 20U, 'x') + "\"]}\n" +
                                            chore_line(6) + R"({"handler":"chore","args":[7)");
    auto got = t.errand({"import", file, "--name", "said"});
    CHECK(got.code == 1);
    for (const auto* words :
         {"line 2: priority: ", "line 3: at: ", "line 4: byte 16 of the line is no UTF-8",
          "line 5: the line is longer than ", "line 7: the line", "5 of 7 lines were rejected"})
        CHECK_THAT(got.err, ContainsSubstring(words));
    CHECK(t.count(state::ready) == 2);

    got = t.errand({"import", file, "--name", "kept", "--rejects", t.path("rejects")});
    CHECK(got.code == 1);
    const auto rejects = t.lines_in("rejects");
    REQUIRE(rejects.size() == 5);
    CHECK(rejects[2].at("text").as_string() == "{\"handler\":\"caf\xEF\xBF\xBD\"}");
    CHECK(rejects[3].at("text").as_string().size() < 1000);
    // Nothing that is there is written over.
    got = t.errand({"import", file, "--name", "third", "--rejects", t.path("rejects")});
    CHECK(got.code == 2);
    CHECK_THAT(got.err, ContainsSubstring("is there already"));
}

TEST_CASE("CSV is imported by its header, and records of another length are rejected", "[cli]") {
    mill t;
    const auto file = t.file("a.csv", "order,number:json,note\r\n"
                                      "o-1,1,\"a, \"\"b\"\"\r\nc\"\r\n"
                                      "o-2,2\r\n"
                                      "o-3,3,x\r\n");
    const auto got = t.errand({"import", file, "--name", "n", "--handler", "invoice", "--queue", "bills",
                               "--biz-id", "order", "--rejects", t.path("rejects")});
    CHECK(got.code == 1);
    CHECK(t.count(state::ready, "bills") == 2);
    const auto rejects = t.lines_in("rejects");
    REQUIRE(rejects.size() == 1);
    CHECK(rejects[0].at("line") == 4);
    CHECK_THAT(std::string{rejects[0].at("reason").as_string()},
               ContainsSubstring("it has 2 fields, and the header has 3"));
    const auto list = t.answer({"list", "ready", "--biz-id", "o-1"}).at("tasks").as_array();
    REQUIRE(list.size() == 1);
    CHECK(list[0].at("args") == json::parse(R"([{"order":"o-1","number":1,"note":"a, \"b\"\r\nc"}])"));
    CHECK_THAT(t.errand({"import", file, "--name", "m", "--handler", "h", "--at", "due"}).err,
               ContainsSubstring("no column \"due\""));
}

TEST_CASE("another file under the name of an import is refused, and what was accepted stays", "[cli]") {
    mill t;
    const auto file = t.file("a.jsonl", chores(10));
    CHECK(t.errand({"import", file, "--name", "n"}).code == 0);
    t.file("a.jsonl", chores(9));
    auto got = t.errand({"import", file, "--name", "n"});
    CHECK(got.code == 1);
    CHECK_THAT(got.err, ContainsSubstring("is not the one that this import was begun with") &&
                            ContainsSubstring("under another --name"));
    auto same_length = chores(10);
    same_length[same_length.find("[7]") + 1] = '8';
    t.file("a.jsonl", same_length);
    CHECK(t.errand({"import", file, "--name", "n"}).code == 1);
    CHECK(t.count(state::ready) == 10);
    // When its name is free again it is another import.
    CHECK(t.errand({"import", "--forget", "--name", "n"}).code == 0);
    CHECK(t.kept("n").is_null());
    CHECK(t.errand({"import", "--forget", "--name", "n"}).code == 1);
    CHECK(t.errand({"import", file, "--name", "n"}).code == 0);

    got = t.errand({"import", t.file("wide.jsonl", std::string{"\xFF\xFE{\0", 4}), "--name", "wide"});
    CHECK(got.code == 1);
    CHECK_THAT(got.err, ContainsSubstring("is UTF-16"));
    CHECK_THAT(t.errand({"import", t.path("none"), "--name", "x"}).err, ContainsSubstring("cannot be read"));
    CHECK_THAT(t.errand({"import", t.folder.string(), "--name", "x"}).err, ContainsSubstring("is a folder"));
    CHECK_THAT(t.errand({"import", t.file("empty.csv", ""), "--name", "x"}).err,
               ContainsSubstring("is empty"));
    CHECK(t.errand({"import", file}).code == 2);
    CHECK(t.kept("x").is_null());
}

TEST_CASE("a file that is truncated while it is read is said to be so, and restored it is read on", "[cli]") {
    mill t;
    const auto whole = chores(60'000);
    const auto file = t.file("a.jsonl", whole);
    constexpr std::size_t longest = 1000;
    errand::import_record place;
    {
        errand::cli::import_file torn{file, false, longest};
        for (int i = 0; i < 1000; ++i) REQUIRE(torn.next());
        place = torn.description();
        place.offset = torn.offset();
        place.lines = torn.lines();
        std::filesystem::resize_file(file, whole.size() - 10);
        const auto read_all = [&] {
            while (torn.next()) {
            }
        };
        CHECK_THROWS_WITH(read_all(), ContainsSubstring("was truncated while it was read: restore it"));
    }
    CHECK_THROWS_WITH((errand::cli::import_file{file, false, longest}.resume(place)),
                      ContainsSubstring("has changed since"));
    t.file("a.jsonl", whole);
    errand::cli::import_file restored{file, false, longest};
    restored.resume(place);
    const auto one = restored.next();
    REQUIRE(one);
    CHECK(one->line == 1001);
    CHECK(one->text + '\n' == chore_line(1001));
}

TEST_CASE("of a pipe that is given again what was imported is passed over", "[cli]") {
    mill t;
    const auto fifo = t.path("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto whole = chores(60'000);
    const auto read_from = [&](const errand::import_record& place, std::size_t n) {
        const std::jthread writer{[&] {
            std::ofstream out{fifo, std::ios::binary};
            out << whole;
        }};
        errand::cli::import_file in{fifo, false, 1000};
        if (place.lines > 0) in.resume(place);
        std::string last;
        for (std::size_t i = 0; i < n; ++i) last = in.next().value().text;
        auto now = in.description();
        now.offset = in.offset();
        now.lines = in.lines();
        while (in.next()) {
        }
        return std::pair{now, last};
    };
    const auto [place, last] = read_from({}, 50'000);
    CHECK(place.size == 0);
    CHECK(place.lines == 50'000);
    CHECK(last + '\n' == chore_line(50'000));
    CHECK(read_from(place, 1).second + '\n' == chore_line(50'001));
}

TEST_CASE("standard input is imported like a file, from its beginning when it goes on", "[cli]") {
    mill t;
    const auto text = chores(3000);
    const std::vector<std::string> words{"import", "-", "--name", "n", "--most-ready", "2000"};
    {
        cli_process running{words, t.variables(), text};
        eventually([&] { return t.count(state::ready) == 2000; });
        // Without room nothing goes on, and Ctrl-C ends it in order.
        running.signal(SIGINT);
        const auto got = running.wait();
        CHECK(got.code == 130);
        CHECK_THAT(got.err, ContainsSubstring("stopped behind line 2000") &&
                                ContainsSubstring("the same command goes on there"));
    }
    CHECK(t.kept("n").at("complete") == false);
    t.start();
    CHECK(t.errand(words, text).code == 0);
    eventually([&] { return t.count(state::success) == 3000; });
    CHECK(t.ended() == 3000);
}

TEST_CASE("lines are due evenly over the time that they are spread over, unless they say when", "[cli]") {
    mill t;
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += R"({"handler":"chore","queue":"chores","args":[1]})"
                "\n";
    text += R"({"handler":"chore","queue":"chores","args":[9],"at":"2100-01-01T00:00:00Z"})";
    CHECK(t.errand({"import", t.file("a.jsonl", text), "--name", "n", "--spread", "10h"}).code == 0);
    const auto began = t.kept("n").at("began");
    // Of the first line it is now.
    CHECK(t.count(state::delayed) == 8);
    const auto all = t.answer({"list", "delayed", "--oldest-first"}).at("tasks").as_array();
    REQUIRE(all.size() == 8);
    std::set<std::string> due;
    for (const auto& one : all) due.emplace(one.at("due_at").as_string());
    CHECK(due.size() == 8);
    CHECK(*due.rbegin() == "2100-01-01T00:00:00.000Z");
    CHECK(*due.begin() > std::string{began.as_string()});
    CHECK_THAT(t.errand({"import", "-", "--name", "m", "--rate", "fast"}).err, ContainsSubstring("20000/s"));
}

TEST_CASE("who imports at a terminal sees a bar", "[cli]") {
    mill t;
    const auto file = t.file("a.jsonl", chores(3000));
    cli_terminal seen{{"import", file, "--name", "n", "--rate", "8000/s"}, t.variables()};
    CHECK(seen.wait() == 0);
    CHECK_THAT(seen.seen(),
               ContainsSubstring("] 100%  3000 lines, ") && ContainsSubstring("imported 3000 lines"));
}

TEST_CASE("what is exported can be imported again, and says the same", "[cli]") {
    mill t;
    const auto at = errand::time_point{std::chrono::sys_days{std::chrono::year{2100} / 5 / 6}};
    t.submit(1, {.biz_id = "b-1", .at = at, .priority = 7, .tags = {"red", "\"blue\""}});
    t.submit(
        2, {.at = at + 1h, .timeout = 5s, .max_retry = 3, .expires_after = 2h, .headers = {{"trace", "x"}}});
    const auto parent = t.submit(3, {.delay = 1h});
    t.submit(4, {.after = {parent}});
    t.let_die(2);

    const auto first = t.errand({"export", "delayed", "--oldest-first"});
    CHECK(first.code == 0);
    CHECK(first.lines().size() == 3);
    CHECK(t.errand({"export", "delayed", "--limit", "2"}).lines().size() == 2);
    CHECK(t.errand({"export", "waiting", "--output", t.path("waiting")}).code == 0);
    CHECK(t.errand({"export", "waiting", "--output", t.path("waiting")}).code == 2);
    const auto dead = t.errand({"export", "dead", "--handler", "chore"}).lines();
    REQUIRE(dead.size() == 2);
    CHECK_THAT(std::string{json::parse(dead[0]).at("was").at("error").as_string()},
               ContainsSubstring("no route"));

    mill other;
    CHECK(other.errand({"import", other.file("delayed", first.out), "--name", "n"}).code == 0);
    CHECK(other.errand({"import", t.path("waiting"), "--name", "w"}).code == 0);
    CHECK(other.count(state::waiting) == 1);
    const auto second = other.errand({"export", "delayed", "--oldest-first"});
    const auto lines = first.lines(), again = second.lines();
    REQUIRE(again.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        auto one = json::parse(lines[i]).as_object(), two = json::parse(again[i]).as_object();
        one.erase("was");
        two.erase("was");
        CHECK(one == two);
    }
    // In the namespace that they came from those with a biz_id are there already.
    const auto there = t.answer({"import", other.path("delayed"), "--name", "back"});
    CHECK(there.at("duplicates") == 1);
    CHECK(there.at("accepted") == 2);
}
