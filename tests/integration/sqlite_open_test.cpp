// Which files are opened, and in what words the others are refused.
#include <errand/error.hpp>

#include "core/hex.hpp"
#include "store/sqlite/database.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string ours = std::to_string(errand::sqlite::store_format);

struct opened_file : store_fixture {
    opened_file() : store_fixture{std::make_unique<sqlite_backing>(false)} {}

    sqlite_backing& file() { return static_cast<sqlite_backing&>(*behind); }

    // Puts a file there as format 1 had it, with two ready tasks and a delayed one.
    std::vector<submission_item> make_older() {
        std::ifstream text{ERRAND_TESTS_DIR "/formats/sqlite_1.sql"};
        file().ask(std::string{std::istreambuf_iterator<char>{text}, {}});
        file().ask("PRAGMA journal_mode = WAL");
        file().ask("PRAGMA application_id = 1701991012");
        file().ask("PRAGMA user_version = 1");
        file().ask("INSERT INTO name_space(k, name, back, layout) VALUES(1, 'default', 10, 1)");
        file().ask("INSERT INTO queue(k, ns, name) VALUES(1, 1, 'default')");
        file().ask(
            "INSERT INTO list(k, queue, kind, retention, size) VALUES(1, 1, 2, 0, 2), (2, 1, 1, 0, 1)");
        std::vector<submission_item> items;
        for (int i = 0; i < 3; ++i) {
            items.push_back(item_of('[' + std::to_string(i) + ']'));
            const auto number = std::to_string(i + 1);
            file().ask("INSERT INTO body(n, bytes) VALUES(" + number + ", " + hex(items.back().body) + ")");
            const auto place = i < 2 ? (std::int64_t{19} << 55) + i : std::int64_t{9'000'000'000'000};
            file().ask("INSERT INTO task(ns, id, list, place, body, life, priority) VALUES(1, " +
                       hex(items.back().id.view()) + (i < 2 ? ", 1, " : ", 2, ") + std::to_string(place) +
                       ", " + number + ", " + std::to_string(incarnation_of(items.back().body)) + ", 0)");
        }
        return items;
    }
    static std::string hex(std::string_view bytes) { return "x'" + to_hex(bytes) + '\''; }

    // In what words it is refused.
    std::string refusal(store_settings with) {
        try {
            join(std::move(with));
        } catch (const error& e) {
            return e.what();
        }
        return "opened";
    }
    std::string refusal() { return refusal(settings("w")); }
    std::string refusal_of(const std::string& url) {
        auto with = settings("w");
        with.url = url;
        return refusal(std::move(with));
    }
};

}  // namespace

TEST_CASE("a new file is made, and what it keeps is there when it is opened again") {
    opened_file here;
    const auto item = item_of("[1]");
    {
        auto first = here.join("first");
        CHECK(here.submit(first, item).verdict == submit_verdict::accepted);
    }
    auto second = here.join("second");
    CHECK(here.state_of(second, item.id) == state::ready);
    CHECK(here.file().ask("PRAGMA journal_mode") == "wal");
}

TEST_CASE("a file that is no database is refused and left as it is") {
    opened_file here;
    const std::string words(5000, 'x');
    std::ofstream{here.file().path()} << words;
    CHECK_THAT(here.refusal(), ContainsSubstring("it is no SQLite database"));
    CHECK(std::filesystem::file_size(here.file().path()) == words.size());
}

TEST_CASE("a database of a user's gets the tables of errand beside its own, and keeps its numbers") {
    opened_file here;
    for (const char* sql : {"CREATE TABLE task(x)", "INSERT INTO task VALUES(7)", "PRAGMA user_version = 99",
                            "PRAGMA application_id = 5"})
        here.file().ask(sql);
    {
        auto worker = here.join("w");
        here.submit(worker, item_of("[1]"));
        CHECK(here.claim(worker, 5).claimed.size() == 1);
    }
    CHECK(here.file().ask("SELECT group_concat(x) FROM task") == "7");
    CHECK(here.file().ask("PRAGMA user_version") == "99");
    CHECK(here.file().ask("PRAGMA application_id") == "5");
    CHECK(here.file().ask("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'errand%' AND name NOT "
                          "LIKE 'sqlite%'") == "1");
}

TEST_CASE("a newer format is refused, with both numbers") {
    opened_file here;
    {
        auto made = here.join("made");
    }
    here.file().ask("UPDATE errand_format SET number = 99");
    CHECK_THAT(here.refusal(), ContainsSubstring("format 99") && ContainsSubstring("knows only " + ours));
}

TEST_CASE("a file of an older format is brought forward, and its tasks are run") {
    opened_file here, fresh;
    {
        auto made = fresh.join("made");
    }
    const auto items = here.make_older();
    {
        auto worker = here.join("w");
        const auto got = here.claim(worker, 10);
        REQUIRE(got.claimed.size() == 2);
        CHECK(args_of(got.claimed[0]) == "[0]");
        CHECK(here.state_of(worker, items.back().id) == state::delayed);
        here.finish(worker, {success_of(got.claimed[0]), success_of(got.claimed[1])});
        CHECK(here.state_of(worker, items.front().id) == state::success);
        const auto audit = worker->audit(false);
        for (bool more = true; more;) {
            const auto step = await(here.io, audit->next());
            CHECK(step.findings.empty());
            more = step.more;
        }
    }
    CHECK(here.file().ask("SELECT number FROM errand_format") == ours);
    // For an older errand, which looks there.
    CHECK(here.file().ask("PRAGMA user_version") == ours);
    // As a new one is made.
    const std::string columns =
        "SELECT group_concat(name || ' ' || cid || ' ' || type || ' ' || \"notnull\" || ' ' || pk) FROM "
        "(SELECT m.name AS name, t.* FROM sqlite_schema m, pragma_table_info(m.name) t ORDER BY m.name, cid)";
    CHECK(here.file().ask(columns) == fresh.file().ask(columns));
    const std::string indexes =
        "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema ORDER BY name)";
    CHECK(here.file().ask(indexes) == fresh.file().ask(indexes));
}

TEST_CASE("who has a file open that a newer errand brings forward is told to start anew") {
    opened_file here;
    auto worker = here.join("w");
    const auto item = item_of("[1]");
    here.submit(worker, item);
    here.file().ask("UPDATE errand_format SET number = number + 1");
    CHECK_THROWS_WITH(here.submit(worker, item_of("[2]")), ContainsSubstring("restart this program"));
    CHECK_THROWS_WITH(here.claim(worker, 1), ContainsSubstring("a newer errand"));
    here.file().ask("UPDATE errand_format SET number = " + ours);
    CHECK(here.claim(worker, 5).claimed.size() == 1);
}

TEST_CASE("a damaged file is refused and not repaired by itself") {
    opened_file here;
    {
        auto made = here.join("made");
        here.submit(made, item_of("[1]"));
    }
    // Its first page says that there are tables, and they are not there.
    std::filesystem::resize_file(here.file().path(), 4096);
    CHECK_THAT(here.refusal(), ContainsSubstring("it is damaged") && ContainsSubstring("backup"));
    CHECK(std::filesystem::file_size(here.file().path()) == 4096);
}

TEST_CASE("a folder that is missing, or a folder in place of the file, is named") {
    opened_file here;
    CHECK_THAT(here.refusal_of("sqlite:///nowhere/at/all/tasks.db"),
               ContainsSubstring("the folder /nowhere/at/all does not exist"));
    const auto folder = std::filesystem::path{here.file().path()}.parent_path();
    CHECK_THAT(here.refusal_of("sqlite://" + folder.string()), ContainsSubstring("cannot be opened"));
}

TEST_CASE("a URL that cannot be meant is refused in a sentence") {
    opened_file here;
    CHECK_THAT(here.refusal_of("sqlite://host/tasks.db"), ContainsSubstring("server's name"));
    CHECK_THAT(here.refusal_of("sqlite:///"), ContainsSubstring("it names no file"));
    CHECK_THAT(here.refusal_of("sqlite:///tmp/x.db?synchronous=sometimes"),
               ContainsSubstring("full, normal or off"));
    CHECK_THAT(here.refusal_of("sqlite:///tmp/x.db?mode=ro"), ContainsSubstring("only synchronous="));
    auto with = here.settings("w");
    with.shards = 3;
    CHECK_THAT(here.refusal(with), ContainsSubstring("a SQLite store is one shard"));
}

TEST_CASE("a file that another process keeps locked is waited for as long as patience says") {
    opened_file here;
    auto with = here.settings("w");
    with.patience = 300ms;
    auto worker = here.join(with);
    sqlite3* other = nullptr;
    REQUIRE(sqlite3_open(here.file().path().c_str(), &other) == SQLITE_OK);
    REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
    const auto item = item_of("[1]");
    CHECK_THROWS_WITH(here.submit(worker, item), ContainsSubstring("keeps the file locked"));
    // Who only looks is not kept waiting.
    CHECK_FALSE(await(here.io, worker->find(item.id)));
    REQUIRE(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(other);
    CHECK(here.submit(worker, item).verdict == submit_verdict::accepted);
}

TEST_CASE("namespaces of one file do not see each other") {
    opened_file here;
    auto other = here.settings("theirs");
    other.name_space = "theirs";
    auto mine = here.join("mine");
    auto theirs = here.join(other);
    const auto item = item_of("[1]");
    here.submit(mine, item);
    CHECK_FALSE(await(here.io, theirs->find(item.id)));
    CHECK(here.claim(theirs, 1).claimed.empty());
    // The same id is another task there.
    CHECK(here.submit(theirs, item_with(item.id, "[2]")).verdict == submit_verdict::accepted);
    CHECK(here.claim(mine, 5).claimed.size() == 1);
}

TEST_CASE("two stores in memory that share no home are apart, those of one home are not") {
    store_fixture here{std::make_unique<sqlite_backing>(true)};
    auto one = here.join("one");
    auto same = here.join("same");
    auto with = here.settings("apart");
    with.home = std::make_shared<store_home>();
    auto apart = here.join(with);
    const auto item = item_of("[1]");
    here.submit(one, item);
    CHECK(here.state_of(same, item.id) == state::ready);
    CHECK_FALSE(await(here.io, apart->find(item.id)));
}

TEST_CASE("tasks in memory outlive the store objects, as long as their home") {
    store_fixture here{std::make_unique<sqlite_backing>(true)};
    const auto item = item_of("[1]");
    {
        auto first = here.join("first");
        here.submit(first, item);
    }
    auto second = here.join("second");
    CHECK(here.state_of(second, item.id) == state::ready);
}
