// What `errand doctor --upgrade` says of a store, and that it changes nothing there.
#include "cli/office.hpp"
#include "cli/upgrade.hpp"
#include "sqlite/connection.hpp"
#include "store/redis/server_check.hpp"
#include "store/sqlite/database.hpp"
#include "support/redis_server.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>

namespace upgrade_test {

using Catch::Matchers::ContainsSubstring;
using errand::cli::upgrade_need;
using errand::test::cli_process;
using errand::test::cli_result;

struct file {
    std::filesystem::path folder;

    file() {
        std::string name = (std::filesystem::temp_directory_path() / "errand-upgrade-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()));
        folder = name;
    }
    ~file() { std::filesystem::remove_all(folder); }

    std::string path() const { return (folder / "tasks.db").string(); }
    std::string format() const {
        return errand::sqlite::connection{path()}.ask("SELECT number FROM errand_format").value();
    }
    void do_sql(const std::string& sql) const { errand::sqlite::connection{path()}.execute(sql); }
    cli_result upgrade(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"doctor", "--upgrade", "--store", "sqlite://" + path()});
        return cli_process{more, {}, {}}.wait();
    }
};

std::string text_of(const std::string& path) {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace upgrade_test

using namespace upgrade_test;

TEST_CASE(
    "errand doctor --upgrade says of which version the workers of a store are, and that it needs nothing") {
    cli_test::office t;
    t.start();
    errand::test::eventually([&] { return !t.run(t.app.inspect().workers()).empty(); });
    const auto said = t.errand({"doctor", "--upgrade"});
    INFO(said.out << said.err);
    CHECK(said.code == 0);
    CHECK_THAT(said.out, ContainsSubstring("nothing") && ContainsSubstring(ERRAND_VERSION));
    const auto answer = t.answer({"doctor", "--upgrade"}).as_object();
    CHECK(answer.at("version").as_string() == ERRAND_VERSION);
    CHECK(answer.at("stores").as_array().at(0).at("needs").as_string() == "nothing");
    CHECK(answer.at("stores").as_array().at(0).at("format") ==
          answer.at("stores").as_array().at(0).at("newest"));
    CHECK(answer.at("workers").as_array().at(0).at("version").as_string() == ERRAND_VERSION);
}

TEST_CASE("errand doctor --upgrade stamps no namespace of Redis and makes no file") {
    const auto settings = errand::test::fresh_settings();
    const cli_result said = cli_process{
        {"doctor", "--upgrade", "--json", "--store", settings.store, "--namespace", "never-seen"},
        {},
        {}}.wait();
    INFO(said.err);
    CHECK(said.code == 0);
    CHECK(said.json().at("stores").as_array().at(0).at("needs").as_string() == "making");
    const cli_result again = cli_process{
        {"doctor", "--upgrade", "--json", "--store", settings.store, "--namespace", "never-seen"},
        {},
        {}}.wait();
    CHECK(again.json().at("stores").as_array().at(0).at("format").is_null());

    const file none;
    CHECK(none.upgrade().code == 0);
    CHECK(!std::filesystem::exists(none.path()));
}

TEST_CASE("errand doctor --upgrade does not take a file that it may not see for one that is not there") {
    const std::string unseen = "sqlite:///" + std::string(300, 'x') + "/tasks.db";
    const cli_result said = cli_process{{"doctor", "--upgrade", "--store", unseen}, {}, {}}.wait();
    CHECK(said.code == 3);
    CHECK_THAT(said.err, ContainsSubstring("File name too long"));
}

TEST_CASE("errand doctor --upgrade reads the format of each shard on Redis as it stands") {
    const errand::test::redis_server server;
    const auto upgrade = [&] {
        return cli_process{{"doctor", "--upgrade", "--json", "--store", server.url() + ',' + server.url(),
                            "--namespace", "shop"},
                           {{"ERRAND_SHARDS", "2"}},
                           {}}
            .wait();
    };
    const auto needs = [](const cli_result& said) {
        std::vector<std::string> all;
        const auto document = said.json();
        for (const auto& one : document.at("stores").as_array())
            all.emplace_back(one.at("needs").as_string());
        return all;
    };
    const auto stamp = [&](const std::string& format) {
        server.command({"HSET", "errand:{shop.1}:control", "format", format});
    };
    CHECK(needs(upgrade()) == std::vector<std::string>{"making", "making"});
    stamp("99");
    auto said = upgrade();
    CHECK(said.code == 1);
    CHECK(needs(said) == std::vector<std::string>{"making", "newer_errand"});
    stamp("1");
    said = upgrade();
    CHECK(said.code == 1);
    CHECK(needs(said) == std::vector<std::string>{"making", "older_errand"});
    // An older one that is known stays what it is.
    for (const int known : {errand::redis::oldest_format, errand::redis::store_format}) {
        stamp(std::to_string(known));
        said = upgrade();
        CHECK(said.code == 0);
        CHECK(needs(said) == std::vector<std::string>{"making", "nothing"});
    }
    CHECK(server.command({"KEYS", "*"}) == "errand:{shop.1}:control");
    CHECK(server.command({"HLEN", "errand:{shop.1}:control"}) == "1");
}

TEST_CASE("errand doctor --upgrade brings no older file forward, and names the workers that have it open") {
    const file older;
    older.do_sql(text_of(ERRAND_TESTS_DIR "/integration/sqlite_format_7.sql"));
    older.do_sql(
        "INSERT INTO errand_worker(ns, name, until, card) VALUES(1, 'web-1:812', 9000000000000, '{\"pid\": 812}'), "
        "(1, 'web-2:9', 9000000000000, '{\"version\": \"0.9.0\"}'), (1, 'gone:1', 1000, '{}')");
    const auto said = older.upgrade();
    INFO(said.out << said.err);
    CHECK(said.code == 0);
    CHECK_THAT(said.out,
               ContainsSubstring("a backup, and the end of all programs that have it open") &&
                   ContainsSubstring("brings it to format " + std::to_string(errand::sqlite::store_format)));
    CHECK_THAT(said.out, ContainsSubstring("web-1:812") && ContainsSubstring("before 0.9") &&
                             ContainsSubstring("web-2:9") && !ContainsSubstring("gone:1"));
    CHECK(older.format() == "7");
    const auto stores = older.upgrade({"--json"}).json().at("stores").as_array();
    CHECK(stores.at(0).at("needs").as_string() == "bringing_forward");
    CHECK(stores.at(0).at("format").as_int64() == 7);
}

TEST_CASE("errand doctor --upgrade fails where this errand would refuse the store") {
    const file newer;
    newer.do_sql(text_of(ERRAND_TESTS_DIR "/integration/sqlite_format_7.sql"));
    newer.do_sql("UPDATE errand_format SET number = 99");
    const auto said = newer.upgrade();
    CHECK(said.code == 1);
    CHECK_THAT(said.out, ContainsSubstring("99") && ContainsSubstring("a newer errand: this one refuses it"));
    CHECK_THAT(said.err,
               ContainsSubstring("cannot work on this store; docs/upgrade.md says what can be done"));
    newer.do_sql("UPDATE errand_format SET number = 4");
    CHECK(newer.upgrade().code == 1);
    CHECK_THAT(newer.upgrade().out, ContainsSubstring("an older errand, which ends its tasks"));
    newer.do_sql("DROP TABLE errand_format");
    CHECK(newer.upgrade({"--json"}).json().at("stores").as_array().at(0).at("needs").as_string() == "making");

    std::ofstream{newer.folder / "text"}
        << "this is no database, and no one made it for one; it is only text";
    const cli_result refused = cli_process{
        {"doctor", "--upgrade", "--store", "sqlite://" + (newer.folder / "text").string()},
        {},
        {}}.wait();
    CHECK(refused.code == 3);
    CHECK_THAT(refused.err, ContainsSubstring("it is no SQLite database"));
    const cli_result away = cli_process{
        {"doctor", "--upgrade", "--store-timeout", "200ms", "--store", "redis+unix:///nowhere/redis.sock"},
        {},
        {}}.wait();
    CHECK(away.code == 3);
    CHECK_THAT(away.err, ContainsSubstring("/nowhere/redis.sock"));
    const cli_result both = cli_process{{"doctor", "--upgrade", "--repair"}, {}, {}}.wait();
    CHECK(both.code == 2);
}

TEST_CASE("what a store needs follows from its format and those that this errand knows") {
    using errand::cli::need_of;
    const auto at = [](std::optional<int> number) {
        return need_of({.store = "", .number = number, .oldest = 5, .newest = 8});
    };
    CHECK(at({}) == upgrade_need::making);
    CHECK(at(4) == upgrade_need::older_errand);
    CHECK(at(5) == upgrade_need::bringing_forward);
    CHECK(at(7) == upgrade_need::bringing_forward);
    CHECK(at(8) == upgrade_need::nothing);
    CHECK(at(9) == upgrade_need::newer_errand);
}
