// Which files are opened, and in what words the others are refused.
#include <errand/error.hpp>

#include "core/bundles.hpp"
#include "store/sqlite/database.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string ours = std::to_string(errand::sqlite::store_format);
const std::string oldest = std::to_string(errand::sqlite::oldest_format);

// What makes a file of an older format, as the errand of that time left it.
std::string file_of_format(int number) {
    std::ifstream in{ERRAND_TESTS_DIR "/integration/sqlite_format_" + std::to_string(number) + ".sql"};
    REQUIRE(in);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

// All columns and indexes of errand's tables; the words of their definitions may differ.
const std::string all_columns =
    "SELECT group_concat(what, char(10)) FROM (SELECT t.name || '.' || c.cid || ' ' || c.name || ' ' || c.type || "
    "c.\"notnull\" || c.pk || coalesce(c.dflt_value, '') AS what FROM sqlite_schema AS t "
    "JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid)";
const std::string all_indexes =
    "SELECT group_concat(coalesce(sql, name), char(10)) FROM (SELECT name, sql FROM sqlite_schema "
    "WHERE type = 'index' ORDER BY name)";

struct opened_file : store_fixture {
    opened_file() : store_fixture{std::make_unique<sqlite_backing>(false)} {}

    sqlite_backing& file() { return static_cast<sqlite_backing&>(*behind); }

    sqlite::address address() { return sqlite::parse_address("sqlite://" + file().path()); }

    // Of this format and another.
    static std::array<std::string, 2> step_names(int first, int second) {
        const auto name = [](int number) { return std::to_string(1000 + number).substr(1); };
        return {name(first), name(second)};
    }
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

TEST_CASE("a file of a format that is not known any more is refused, and left as it is") {
    opened_file here;
    // As it was when the header of a file said so.
    for (const char* sql :
         {"CREATE TABLE task(x)", "PRAGMA application_id = 1701991012", "PRAGMA user_version = 4"})
        here.file().ask(sql);
    CHECK_THAT(here.refusal(),
               ContainsSubstring("format 4, and this errand no longer knows formats before " + oldest));
    CHECK(here.file().ask("SELECT count(*) FROM sqlite_schema") == "1");
    CHECK(here.file().ask("PRAGMA journal_mode") == "delete");
}

TEST_CASE("a file of an older format is brought forward, by the steps that are missing") {
    opened_file here;
    const auto item = item_of("[1]");
    {
        auto made = here.join("made");
        here.submit(made, item);
    }
    // Two formats that are still to come.
    const auto first = sqlite::store_format + 1, second = sqlite::store_format + 2;
    const auto names = opened_file::step_names(first, second);
    const std::vector<embedded_text> steps{
        {names[0], "ALTER TABLE errand_task ADD COLUMN colour TEXT; CREATE TABLE errand_colour(name TEXT);"},
        {names[1], "UPDATE errand_task SET colour = 'red'; INSERT INTO errand_colour VALUES('red');"}};
    const sqlite::table_format known{.number = second, .steps = steps};
    // The first one makes the steps, the second one finds them made.
    for (int i = 0; i < 2; ++i) {
        const auto in = sqlite::open_database(here.address(), known);
        CHECK(in->ask("SELECT number FROM errand_format") == std::to_string(second));
        CHECK(in->ask("SELECT group_concat(colour) FROM errand_task") == "red");
        CHECK(in->ask("SELECT count(*) FROM errand_colour") == "1");
    }
    CHECK_THAT(here.refusal(), ContainsSubstring("format " + std::to_string(second)) &&
                                   ContainsSubstring("knows only " + ours));
}

TEST_CASE("a file is not brought forward by half: a step that is missing or fails leaves all as it was") {
    opened_file here;
    {
        auto made = here.join("made");
    }
    const auto first = sqlite::store_format + 1;
    const auto names = opened_file::step_names(first, first + 2);
    const std::vector<embedded_text> steps{{names[0], "CREATE TABLE errand_colour(name TEXT);"},
                                           {names[1], "SELECT no_such_thing;"}};
    for (const int number : {first + 1, first + 2}) {
        const sqlite::table_format known{.number = number, .steps = steps};
        CHECK_THROWS_AS(sqlite::open_database(here.address(), known), sqlite::failure);
        CHECK(here.file().ask("SELECT number FROM errand_format") == ours);
        CHECK(here.file().ask("SELECT count(*) FROM sqlite_schema WHERE name = 'errand_colour'") == "0");
    }
    CHECK(here.refusal() == "opened");
}

TEST_CASE("a file of each format since the oldest is opened, and is then as if it were new") {
    opened_file fresh;
    {
        auto made = fresh.join("made");
    }
    for (int number = sqlite::oldest_format; number < sqlite::store_format; ++number) {
        opened_file here;
        here.file().ask(file_of_format(number));
        {
            auto brought = here.join("brought");
        }
        for (const auto& question :
             {std::string{"SELECT number FROM errand_format"}, all_columns, all_indexes})
            CHECK(here.file().ask(question) == fresh.file().ask(question));
    }
}

TEST_CASE("tasks of a file of an older format go on in this one") {
    const auto number = GENERATE(5, 6, 7, 8, 9);
    opened_file here;
    here.file().ask(file_of_format(number));
    const auto id = [](const std::string& name) { return derive_task_id("h", name); };
    auto with = here.settings("worker");
    with.name_space = here.file().ask("SELECT name FROM errand_name_space");
    auto worker = here.join(with);
    CHECK(here.state_of(worker, id("ended")) == state::success);
    CHECK(here.state_of(worker, id("told")) == state::cancelled);
    CHECK(here.state_of(worker, id("waits")) == state::waiting);
    CHECK(here.state_of(worker, id("delayed")) == state::delayed);
    auto got = here.claim(worker, 10).claimed;
    REQUIRE(got.size() == 2);
    CHECK(got[0].id == id("ready"));
    CHECK(got[1].id == id("large"));
    CHECK(args_of(got[1]) == "[\"" + std::string(600, 'x') + "\"]");
    const auto taken_over = await(here.io, worker->recover(10, 30s)).tasks;
    REQUIRE(taken_over.size() == 1);
    CHECK(taken_over[0].id == id("working"));
    got.push_back(taken_over[0]);
    std::vector<report> reports;
    for (const auto& task : got) reports.push_back(success_of(task));
    for (const auto verdict : here.finish(worker, std::move(reports)))
        CHECK(verdict == report_verdict::accepted);
    // The news that were there, and those of this end.
    const auto news = await(here.io, worker->take_news(10, 30s)).entries;
    REQUIRE(news.size() == 2);
    for (const auto& one : news) CHECK(one.heirs == std::vector{id("waits")});
    const schedule_step step{.id = id("k"), .seen = 0, .record = std::string(24, 'x'), .name = "k"};
    CHECK(await(here.io, worker->step_schedules({&step, 1})).at(0) == step_verdict::done);
    CHECK(await(here.io, worker->set_settings({"h", 0, std::string(24, 'y')})));
    CHECK(await(here.io, worker->find_settings("h")) == std::string(24, 'y'));
    if (number >= 7) {
        CHECK_FALSE(await(here.io, worker->find_settings("kept")).empty());
        const auto limits = await(here.io, worker->limits());
        REQUIRE(limits.size() == 1);
        CHECK(limits[0].name == "mail");
        CHECK(limits[0].set == limit_rule{.max_running = 1});
        CHECK(limits[0].throttled == 0ms);
    }
}

TEST_CASE("a bundle is begun, and read, in a file of an older format") {
    opened_file here;
    here.file().ask(file_of_format(GENERATE(5, 6, 7, 8, 9)));
    auto with = here.settings("worker");
    with.name_space = here.file().ask("SELECT name FROM errand_name_space");
    auto worker = here.join(with);
    here.claim(worker, 10);  // what was ready there
    const auto item = item_of("[1]");
    here.submit(worker, item);
    const auto got = here.claim(worker, 10).claimed;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == item.id);
    joining into{.key = bundle_key_of("test", "default", ""), .max_size = 10, .wait = 1h, .grace = 1h};
    into.carrier = derive_carrier_id(into.key, item.id, got[0].claim);
    into.carrier_body = got[0].body;
    auto said = report_of(got[0], report::kind::join);
    said.record = encode(into);
    CHECK(here.finish(worker, {said}) == std::vector{report_verdict::accepted});
    CHECK(here.state_of(worker, item.id) == state::waiting);
    CHECK(here.state_of(worker, into.carrier) == state::delayed);
    CHECK(here.file().ask("SELECT count(*) FROM errand_bundle") == "1");
    const auto page = await(here.io, worker->bundle(into.carrier, std::nullopt));
    REQUIRE(page.items.size() == 1);
    CHECK(page.items[0].id == item.id);
    CHECK(here.file().ask("SELECT count(*) FROM errand_bundle") == "0");
}

TEST_CASE("a quota is kept, figures are added up, and requests counted, in a file of an older format") {
    opened_file here;
    here.file().ask(file_of_format(GENERATE(5, 6, 7, 8, 9)));
    auto with = here.settings("worker");
    with.name_space = here.file().ask("SELECT name FROM errand_name_space");
    auto worker = here.join(with);
    const quota_ask three{.count = 3, .rate = rate_limit{4, 24h, 4}};
    CHECK(await(here.io, worker->take_quota(three)).admitted == 3);
    CHECK(await(here.io, worker->take_quota(three)).admitted == 1);
    const handler_count two{.handler = "h", .what = 0, .times = 2};
    await(here.io, worker->add_figures({&two, 1}));
    const auto counts = await(here.io, worker->figures()).counts;
    REQUIRE(counts.size() == 1);
    CHECK(counts[0].handler == "h");
    CHECK(counts[0].times == 2);
    const request_count one{.name = "t", .most = 1, .per = 24h};
    CHECK(await(here.io, worker->count_request(one)).mark != 0);
    CHECK(await(here.io, worker->count_request(one)).mark == 0);
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
