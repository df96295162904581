// What `errand shards` says of where a namespace is kept.
#include "cli/office.hpp"
#include "store/redis/slot.hpp"
#include "support/redis_cluster.hpp"
#include "support/replica.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

namespace shards_cli_test {

using Catch::Matchers::ContainsSubstring;
using errand::test::cli_process;
using errand::test::cli_result;

cli_result shards(const std::string& url, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"shards", "--store", url, "--namespace", "shop"});
    return cli_process{more, {}, {}}.wait();
}

}  // namespace shards_cli_test

using namespace shards_cli_test;

TEST_CASE(
    "errand shards says on which server of a cluster each shard is, with its slot, replicas and tasks") {
    const errand::test::redis_cluster servers;
    errand::config settings = errand::test::fresh_settings();
    settings.store = servers.url();
    settings.name_space = "shop";
    settings.shards = 0;
    constexpr std::uint64_t tasks = 300;
    {
        errand::app app{settings};
        std::vector<errand::handle<boost::json::value>> all;
        for (std::uint64_t i = 0; i < tasks; ++i) app.block_on(app.perform("nobody::runs_it", {}));
    }
    const auto said = shards(servers.url_of(4), {"--json"});
    INFO(said.out << said.err);
    CHECK(said.code == 0);
    const auto answer = said.json();
    const auto& rows = answer.at("shards").as_array();
    REQUIRE(rows.size() == 16);
    std::uint64_t kept = 0;
    std::set<std::string> named;
    for (std::uint64_t shard = 0; shard < rows.size(); ++shard) {
        const auto& row = rows[shard];
        CHECK(row.at("shard").to_number<std::uint64_t>() == shard);
        const auto slot = row.at("slot").to_number<unsigned>();
        CHECK(slot ==
              errand::redis::slot_of(errand::redis::spread_tag("shop", static_cast<unsigned>(shard), 16)));
        const auto owner = servers.owner_of(slot).value();
        CHECK(row.at("server").as_string() == "127.0.0.1:" + std::to_string(servers.server(owner).port()));
        CHECK(row.at("replicas").to_number<int>() == 1);
        kept += row.at("tasks").to_number<std::uint64_t>();
        CHECK(row.at("bytes").to_number<std::uint64_t>() > 100);
        named.insert(std::string{row.at("server").as_string()});
    }
    CHECK(kept == tasks);
    CHECK(named.size() == 3);
    const auto table = shards(servers.url());
    CHECK(table.code == 0);
    CHECK_THAT(table.out, ContainsSubstring("slot") && ContainsSubstring("replicas"));
}

TEST_CASE("errand shards makes no namespace, and names the servers that are away") {
    const errand::test::redis_server here;
    const auto away = std::string{"redis+unix:///nowhere/redis.sock"};
    const auto said = shards(here.url() + ',' + away, {"--store-timeout", "300ms"});
    INFO(said.out << said.err);
    CHECK(said.code == 1);
    CHECK_THAT(said.out, ContainsSubstring(here.url()) && ContainsSubstring("away"));
    CHECK_THAT(said.err, ContainsSubstring("/nowhere/redis.sock"));
    CHECK(here.command({"DBSIZE"}) == "0");
    CHECK(shards(away, {"--store-timeout", "300ms"}).code == 3);
    const auto file = shards("sqlite:///tmp/never-made.db");
    CHECK(file.code == 2);
    CHECK_THAT(file.err, ContainsSubstring("one shard"));
}
