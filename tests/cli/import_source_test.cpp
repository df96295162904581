// What `errand import --from` makes of the answers of a server that is not always as it should be.
#include <errand/quota.hpp>

#include "cli/office.hpp"
#include "cli/scripted_server.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <tuple>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli_test::acknowledged;
using cli_test::another_job_id;
using cli_test::begins_with;
using cli_test::dead_letters;
using cli_test::http_answer;
using cli_test::no_job;
using cli_test::office;
using cli_test::one_job;
using cli_test::ready;
using cli_test::scripted;
using cli_test::scripted_server;
using errand::test::cli_process;

namespace json = boost::json;

TEST_CASE("import --from tells an empty queue from an expired job that an lmstfy stops at", "[cli]") {
    office t;
    scripted_server at{
        {ready(3), no_job, ready(2), one_job("null"), acknowledged, no_job, ready(0), dead_letters(0)}};
    const auto got = t.errand({"import", "--from", at.url()});
    INFO(got.err);
    CHECK(got.code == 0);
    CHECK_THAT(got.out, StartsWith("imported 1 jobs; 0 were rejected\n"));
    const auto asked = at.asked();
    CHECK(asked[0] == "GET /api/n/q/size");
    CHECK(asked[1] == "GET /api/n/q?count=3&timeout=0&ttr=121");
    CHECK(asked[4] == "DELETE /api/n/q/job/" + cli_test::job_id_of_now());
    CHECK(t.count(errand::state::ready, "q") == 1);
}

TEST_CASE("import --from says what is left there, as far as an lmstfy tells", "[cli]") {
    office t;
    // As many again as there were: somebody else has the ones, and others have come.
    const std::vector<scripted> script{ready(2), no_job, ready(2), dead_letters(5)};
    scripted_server at{script};
    const auto got = t.errand({"import", "--from", at.url()});
    CHECK(got.code == 1);
    CHECK_THAT(got.out,
               ContainsSubstring("left there: 2 ready, 5 dead letters, and what is delayed or taken"));
    CHECK_THAT(got.err, ContainsSubstring("the same command goes on there"));

    scripted_server again{script};
    const auto told = t.errand({"import", "--from", again.url(), "--json"});
    const auto document = json::parse(told.out).as_object();
    CHECK(document.at("complete") == false);
    CHECK(document.at("left") ==
          json::value{{"ready", 2}, {"dead_letters", 5}, {"delayed", nullptr}, {"taken", nullptr}});
}

TEST_CASE("an import of jobs takes of the quota what it brings, and nothing while none comes", "[cli]") {
    office t;
    constexpr int most = 60;
    std::ignore = t.run(t.app.set_quota({.submit_rate = errand::rate_limit{most, std::chrono::hours{100}}}));
    scripted_server at{
        {ready(0), ready(0), ready(0), ready(1), no_job, ready(1), ready(1), one_job(), acknowledged},
        ready(0)};
    cli_process running{{"import", "--from", at.url(), "--wait", "1h"}, t.variables(), {}};
    at.was_asked(12);
    running.signal(SIGINT);
    CHECK(running.wait().code == 130);
    CHECK(t.count(errand::state::ready, "q") == 1);
    for (int i = 0; i < most - 1; ++i) t.submit(i);
    CHECK_THROWS_AS(t.submit(most), errand::quota_exceeded);
}

TEST_CASE("an import of jobs takes nothing of the quota for one that it does not bring", "[cli]") {
    office t;
    std::ignore = t.run(t.app.set_quota({.submit_rate = errand::rate_limit{1, std::chrono::hours{100}}}));
    // Rejected, come back, and another one, which has what was let through for the first.
    const auto rejected = one_job(R"("no base64")", another_job_id());
    scripted_server at{{ready(3), rejected, rejected, one_job(), acknowledged, ready(0), dead_letters(0)},
                       no_job};
    const auto got = t.errand({"import", "--from", at.url()});
    INFO(got.err);
    CHECK_THAT(got.out, StartsWith("imported 1 jobs; 1 were rejected\n"));
    CHECK(t.count(errand::state::ready, "q") == 1);
}

TEST_CASE("a job that another import may have by now is not brought over", "[cli]") {
    office t;
    scripted_server at{{ready(1), {one_job(), std::chrono::milliseconds{1100}}, ready(0), dead_letters(0)}};
    const auto got = t.errand({"import", "--from", at.url(), "--ttr", "1s"});
    INFO(got.err);
    CHECK_THAT(got.out, StartsWith("imported 0 jobs"));
    CHECK_FALSE(begins_with(at.asked(), "DELETE "));
    CHECK(t.count(errand::state::ready, "q") == 0);
}

TEST_CASE("import --from says what is wrong with where jobs are to come from", "[cli]") {
    office t;
    const auto said = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"import", "--from"};
        words.insert(words.end(), more.begin(), more.end());
        const auto got = t.errand(words);
        INFO(got.out);
        CHECK(got.code > 0);
        CHECK(got.err.find("secret") == got.err.npos);
        return got.err;
    };
    CHECK_THAT(said({"http://secret@h:1/n/q"}), ContainsSubstring("names no lmstfy"));
    CHECK_THAT(said({"lmstfy://secret@h:1"}), ContainsSubstring("names no namespace"));
    CHECK_THAT(said({"lmstfy://secret@h:1/n"}), ContainsSubstring("names no queue"));
    CHECK_THAT(said({"lmstfy://secret@h:1/n/_q"}), ContainsSubstring("a queue that lmstfy cannot have"));
    CHECK_THAT(said({"lmstfy://secret@h:1/n/q", "--name", "n"}), ContainsSubstring("--from takes"));
    CHECK_THAT(said({"lmstfy://secret@h:1/n/q", "--ttr", "10ms"}), ContainsSubstring("at least 1s"));
    const auto to = [](int port) { return "lmstfy://secret@127.0.0.1:" + std::to_string(port) + "/n/q"; };
    {
        scripted_server at{{http_answer("401 Unauthorized", R"({"error":"invalid token"})")}};
        CHECK_THAT(said({to(at.port)}), ContainsSubstring("does not let this token in"));
    }
    {
        scripted_server at{{http_answer("404 Not Found", R"({"error":"pool not found"})")}};
        CHECK_THAT(said({to(at.port)}), ContainsSubstring("does not do what lmstfy does"));
    }
    {
        scripted_server at{{ready(1), http_answer("200 OK", R"([{"msg":"new job"}])")}};
        CHECK_THAT(said({to(at.port)}), ContainsSubstring("not to be read as jobs"));
    }
    {
        scripted_server at{std::vector<scripted>{std::string{}}};
        CHECK_THAT(said({to(at.port)}), ContainsSubstring("does not answer"));
    }
}
