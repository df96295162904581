// The program as a server.
#include "cli/served.hpp"
#include "support/places.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

using Catch::Matchers::ContainsSubstring;
using cli_test::ask;
using cli_test::office;
using cli_test::port_of;
using cli_test::post;
using errand::test::cli_process;

TEST_CASE("errand serve says where it listens, serves, and ends well when it is told to", "[cli]") {
    office t;
    cli_process server{{"serve", "--listen", "127.0.0.1:0", "--access-log", "json"}, t.variables(), {}};
    const int port = port_of(server);
    CHECK_THAT(server.said(),
               ContainsSubstring("serving namespace " + t.app.settings().name_space + " on http://"));
    t.submit(1);
    const auto name = "/v1/" + t.app.settings().name_space;
    CHECK_THAT(ask(port, name + "/queues"), ContainsSubstring("200 OK") && ContainsSubstring("chores"));
    CHECK_THAT(ask(port, "/readyz"), ContainsSubstring("200 OK"));
    server.signal(SIGTERM);
    const auto got = server.wait();
    CHECK(got.code == 0);
    CHECK(got.err.empty());
    CHECK_THAT(got.out, ContainsSubstring(R"("path":")" + name + R"(/queues","status":200)"));
}

TEST_CASE("errand serve shows the namespaces that it is told of beside each other, where that is asked for",
          "[cli]") {
    office t;
    auto variables = t.variables();
    variables["ERRAND_NAME_SPACES"] = t.app.settings().name_space + ":1,shop:3";
    cli_process silent{{"serve", "--listen", "127.0.0.1:0"}, variables, {}};
    CHECK_THAT(ask(port_of(silent), "/ui/api/view/tenants"), !ContainsSubstring("shop"));
    silent.signal(SIGTERM);
    CHECK(silent.wait().code == 0);
    cli_process server{{"serve", "--tenants", "--listen", "127.0.0.1:0"}, variables, {}};
    const auto got = ask(port_of(server), "/ui/api/view/tenants");
    CHECK_THAT(got, ContainsSubstring("200 OK") && ContainsSubstring(R"("name":"shop","weight":3)") &&
                        ContainsSubstring(R"("all":2)"));
    server.signal(SIGTERM);
    CHECK(server.wait().code == 0);
}

TEST_CASE("a task that one errand serve has given out is reported to another, after the first was killed",
          "[cli]") {
    office t;
    const std::vector<std::string> words{"serve", "--listen", "127.0.0.1:0", "--access-log", "off"};
    const auto task = t.submit(1);
    const auto name = "/v1/" + t.app.settings().name_space;
    cli_process first{words, t.variables(), {}};
    const auto claimed = post(port_of(first), name + "/work:claim",
                              R"({"worker": "w", "queues": {"chores": 1}, "wait_ms": 60000})");
    const auto& given = claimed.at("tasks").at(0);
    CHECK(given.at("id") == boost::json::string_view{task.id()});
    first.signal(SIGKILL);
    first.wait();
    cli_process second{words, t.variables(), {}};
    const int port = port_of(second);
    const auto path = name + "/tasks/" + task.id();
    const auto said = [&](const std::string& more) {
        return R"({"claim": ")" + std::string{given.at("claim").as_string()} + '"' + more + '}';
    };
    CHECK(post(port, path + ":extend", said("")).at("id") == given.at("id"));
    CHECK(post(port, path + ":stage", said(R"(, "name": "s", "result": 1)")).at("name") == "s");
    const auto report = said(R"(, "outcome": "success", "result": 9)");
    CHECK(post(port, path + ":report", report).at("state") == "success");
    CHECK(post(port, path + ":report", report).at("state") == "success");
    CHECK(t.wait(task) == 9);
    second.signal(SIGTERM);
    CHECK(second.wait().code == 0);
}

TEST_CASE("errand serve is told what requests of lmstfy's API mean that do not say it", "[cli]") {
    office t;
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"serve", "--listen", "127.0.0.1:0"};
        for (auto& one : more) words.insert(words.end(), {"--lmstfy-default", std::move(one)});
        return t.errand(words);
    };
    const auto taken = with({"delay=4294967295", "ttl=5", "tries=3", "ttr=1", "timeout=0"});
    CHECK(taken.code == 2);
    CHECK_THAT(taken.err, ContainsSubstring(".ttl = 5: ends before .delay = 4294967295 does"));
    for (const std::string bad :
         {"ttl=x", "ttl=", "ttl", "ttr=-1", "ttr=4294967296", "tries=65536", "speed=1", "=1"}) {
        INFO(bad);
        const auto got = with({bad});
        CHECK(got.code == 2);
        CHECK_THAT(got.err, ContainsSubstring("--lmstfy-default " + bad + ": write tries=N"));
    }
    CHECK_THAT(with({"tries=0"}).err, ContainsSubstring(".lmstfy.tries = 0"));
}

TEST_CASE("errand serve refuses to let anybody in without being told to", "[cli]") {
    office t;
    const auto open = t.errand({"serve", "--listen", "0.0.0.0:0"});
    CHECK(open.code == 2);
    CHECK_THAT(open.err, ContainsSubstring("--allow-anyone") && ContainsSubstring("127.0.0.1"));
    CHECK(t.errand({"serve", "--listen", "nonsense"}).code == 2);
    CHECK(t.errand({"serve", "--access-log", "xml"}).code == 2);
    const auto nobody = t.errand({"serve", "--listen", "127.0.0.1:0", "--tokens", ""});
    CHECK(nobody.code == 2);
    CHECK_THAT(nobody.err, ContainsSubstring("names no file"));
    CHECK(t.errand({"serve"}, {}, {{"ERRAND_STORE", "sqlite::memory:"}}).code == 2);
}

TEST_CASE("errand token makes tokens that errand serve lets in", "[cli]") {
    office t;
    const auto folder = errand::test::temporary_folder("tokens");
    const auto file = (folder / "tokens").string();
    const auto first = t.errand({"token", "shop", "--scope", "view", "--file", file});
    CHECK(first.code == 0);
    const auto token = first.lines().at(0);
    CHECK(token.size() == 7 + 64);
    const auto second = t.errand({"token", "shop", "--scope", "submit", "--file", file, "--json"}).json();
    CHECK_FALSE(second.at("token") == boost::json::string_view{token});
    std::ifstream in{file};
    std::stringstream text;
    text << in.rdbuf();
    CHECK_THAT(text.str(), ContainsSubstring("shop view ") &&
                               ContainsSubstring(std::string{second.at("line").as_string()}) &&
                               !ContainsSubstring(token));
    // As an editor may leave it: without an end of its last line.
    std::ofstream{file, std::ios::trunc} << text.str().substr(0, text.str().size() - 1);
    const auto third = t.errand({"token", "cafe", "--scope", "view", "--file", file, "--json"}).json();
    std::ifstream after{file};
    std::stringstream lines;
    lines << after.rdbuf();
    CHECK(lines.str() == text.str() + std::string{third.at("line").as_string()} + '\n');
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::others_all) ==
          std::filesystem::perms::none);
    CHECK(t.errand({"token", "shop", "--scope", "view"}).lines().size() == 2);
    // Each scope that a service knows can be given.
    for (const auto* scope : {"view", "submit", "work", "operate", "admin"}) {
        const auto said = t.errand({"token", "shop", "--scope", scope, "--json"});
        CHECK(said.code == 0);
        CHECK_THAT(std::string{said.json().at("line").as_string()},
                   ContainsSubstring(std::string{" "} + scope + " "));
    }
    const auto rated = t.errand({"token", "shop", "--scope", "view", "--rate", "100/s", "--json"});
    CHECK_THAT(std::string{rated.json().at("line").as_string()}, ContainsSubstring(" rate=100/s"));
    const auto senseless = t.errand({"token", "shop", "--scope", "view", "--rate", "often"});
    CHECK(senseless.code == 2);
    CHECK_THAT(senseless.err, ContainsSubstring("100/s"));
    CHECK(t.errand({"token", "shop"}).code == 2);
    CHECK(t.errand({"token"}).code == 2);
    CHECK(t.errand({"token", "--list"}).code == 2);
    CHECK(t.errand({"token", "shop", "--revoke"}).code == 2);
    CHECK(t.errand({"token", "shop", "--scope", "view", "--revoke", "--file", file}).code == 2);
    CHECK(t.errand({"token", "shop", "--scope", "view", "--expires", "soon"}).code == 2);
    CHECK(t.errand({"token", "a b", "--scope", "view"}).code == 2);
    const auto nowhere = (folder / "no" / "tokens").string();
    CHECK(t.errand({"token", "shop", "--scope", "view", "--file", nowhere}).code == 1);

    // Whose they are, and their end.
    CHECK(t.errand({"token", "tea", "--scope", "view", "--scope", "work", "--rate", "50/30s", "--expires",
                    "2099-01-01T00:00:00Z", "--file", file})
              .code == 0);
    const auto listed = t.errand({"token", "--list", "--file", file, "--json"}).json().as_array();
    REQUIRE(listed.size() == 4);
    CHECK(listed.at(0).at("name") == "shop");
    CHECK(listed.at(0).at("rate").is_null());
    CHECK(listed.at(3) ==
          boost::json::parse(
              R"({"name": "tea", "scopes": ["view", "work"], "rate": {"count": 50, "per_ms": 30000},
                                 "expires_at": "2099-01-01T00:00:00.000Z"})"));
    const auto shown = t.errand({"token", "--list", "--file", file});
    CHECK_THAT(shown.out, ContainsSubstring("tea") && ContainsSubstring("50 in 30 s") &&
                              ContainsSubstring("2099-01-01"));
    CHECK(t.errand({"token", "tea", "--revoke", "--file", file}).code == 0);
    CHECK(t.errand({"token", "tea", "--revoke", "--file", file}).code == 1);
    std::ifstream again{file};
    std::stringstream as_before;
    as_before << again.rdbuf();
    CHECK(as_before.str() == lines.str());
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::others_all) ==
          std::filesystem::perms::none);

    cli_process server{{"serve", "--listen", "127.0.0.1:0", "--tokens", file}, t.variables(), {}};
    const int port = port_of(server);
    const auto path = "/v1/" + t.app.settings().name_space + "/queues";
    CHECK_THAT(ask(port, path), ContainsSubstring("401 Unauthorized"));
    CHECK_THAT(ask(port, path, "Authorization: Bearer " + token + "\r\n"), ContainsSubstring("200 OK"));
    CHECK(t.errand({"token", "shop", "--revoke", "--file", file, "--json"}).json().at("revoked") == 2);
    CHECK_THAT(ask(port, path, "Authorization: Bearer " + token + "\r\n"),
               ContainsSubstring("401 Unauthorized"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("a token that the store keeps lets in at a server without a file, until it is revoked", "[cli]") {
    office t;
    const auto made = t.errand({"token", "shop", "--scope", "view", "--scope", "submit", "--queue", "mail",
                                "--queue", "s m,s", "--stored"});
    CHECK(made.code == 0);
    REQUIRE(made.lines().size() == 1);
    const auto token = made.lines().at(0);
    CHECK(t.errand({"token", "shop", "--scope", "view", "--stored", "--expires", "1d"}).code == 0);
    cli_process server{
        {"serve", "--listen", "127.0.0.1:0", "--stored-tokens", "--admin-listen", "127.0.0.1:0"},
        t.variables(),
        {}};
    const int port = port_of(server);
    const auto path = "/v1/" + t.app.settings().name_space + "/queues";
    const auto by = "Authorization: Bearer " + token + "\r\n";
    CHECK_THAT(ask(port, path), ContainsSubstring("401 Unauthorized"));
    CHECK_THAT(ask(port, path, by), ContainsSubstring("200 OK"));

    const auto listed = t.errand({"token", "--list", "--stored", "--json"}).json().as_array();
    REQUIRE(listed.size() == 2);
    CHECK(listed.at(0).at("queues") == boost::json::array{"mail", "s m,s"});
    CHECK_FALSE(listed.at(1).as_object().contains("queues"));
    CHECK_THAT(t.errand({"token", "--list", "--stored"}).out, ContainsSubstring("mail, s m,s"));
    const std::string id{listed.at(0).at("id").as_string()};
    CHECK(t.errand({"token", id, "--revoke", "--stored"}).code == 0);
    CHECK(t.errand({"token", id, "--revoke", "--stored"}).code == 1);
    errand::test::eventually([&] {
        return ask(port, path, by).find("401 Unauthorized") != std::string::npos;
    });
    CHECK(t.errand({"token", "shop", "--revoke", "--stored", "--json"}).json().at("revoked") == 1);
    CHECK(t.errand({"token", "--list", "--stored"}).out == "no tokens\n");

    CHECK(t.errand({"token", "shop", "--scope", "view", "--stored", "--file", "tokens"}).code == 2);
    CHECK(t.errand({"token", "shop", "--scope", "admin", "--queue", "mail", "--stored"}).code == 2);
    CHECK(t.errand({"token", id, "--scope", "view", "--stored"}).code == 2);
    CHECK(t.errand({"token", "shop", "--scope", "view", "--stored"}, {},
                   {{"ERRAND_STORE", "sqlite::memory:"}})
              .code == 2);
}

TEST_CASE("errand serve prints what can be asked of it without a store", "[cli]") {
    office t;
    CHECK_THAT(t.errand({"serve", "--print", "reference"}).out,
               ContainsSubstring("### `POST /v1/{namespace}/tasks`"));
    CHECK(t.errand({"serve", "--print", "openapi"}).json().at("openapi") == "3.1.0");
}
