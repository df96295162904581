// Queues of an lmstfy that are drained by the program `errand`: an errand serve that speaks its API, and one that answers by a script.
#include <errand/quota.hpp>

#include "cli/lmstfy_server.hpp"
#include "cli/scripted_server.hpp"
#include "core/base64.hpp"
#include "support/places.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli_test::acknowledged;
using cli_test::dead_letters;
using cli_test::lmstfy_server;
using cli_test::office;
using cli_test::one_job;
using cli_test::ready;
using cli_test::scripted;
using cli_test::scripted_server;
using errand::test::cli_process;
using errand::test::eventually;

namespace json = boost::json;

namespace {

std::string data_of(const json::object& job) {
    const auto data = errand::read_base64(std::string_view{job.at("data").as_string()});
    REQUIRE(data);
    return *data;
}

// Where jobs come from and where they go to, on one store.
struct relocation : office {
    lmstfy_server old{*this, app.settings().name_space + "_old"};
    lmstfy_server here{*this, app.settings().name_space};
    std::filesystem::path folder = errand::test::temporary_folder("jobs");
    ~relocation() { std::filesystem::remove_all(folder); }
    std::string path(const std::string& file) const { return (folder / file).string(); }
};

}  // namespace

TEST_CASE("import --from brings the jobs of an lmstfy's queues with all that they have left", "[cli]") {
    relocation t;
    const std::string bytes{"\0\xff\r\n\"job\"", 9};
    t.old.publish("mail?tries=3&ttl=3600", bytes, "Enable-Job-Version: YES\r\nJob-Attr-Trace: t-1\r\n");
    t.old.publish("mail?ttl=0", "");
    t.old.publish("sms", "second queue");
    t.old.publish("other", "stays");
    const auto got = t.errand({"import", "--from", t.old.url("mail,sms")});
    INFO(got.err);
    CHECK(got.code == 0);
    CHECK_THAT(got.out,
               StartsWith("imported 3 jobs; 0 were rejected\nleft there: 0 ready, 0 dead letters, "));
    CHECK(got.err.empty());
    for (const auto* queue : {"mail", "sms"}) {
        CHECK(t.old.size(queue) == 0);
        CHECK(t.old.dead(queue) == 0);
    }
    CHECK(t.old.size("other") == 1);

    const auto first = t.here.consume("mail");
    CHECK(data_of(first) == bytes);
    CHECK(first.at("remain_tries") == 2);
    CHECK(first.at("attributes") == json::value{{"trace", "t-1"}});
    CHECK(first.at("job_id").as_string().size() == 27);
    const auto ttl = first.at("ttl").to_number<std::int64_t>();
    CHECK(ttl <= 3600);
    CHECK(ttl > 3000);
    const auto second = t.here.consume("mail");
    CHECK(data_of(second).empty());
    CHECK(second.at("ttl") == 0);
    CHECK(second.at("remain_tries") == 0);
    CHECK(second.at("attributes").is_null());
    CHECK(data_of(t.here.consume("sms")) == "second queue");

    const auto nothing = t.answer({"import", "--from", t.old.url("mail,sms")});
    CHECK(nothing.at("accepted") == 0);
    CHECK(nothing.at("complete") == true);
}

TEST_CASE("import --from waits for jobs that fall due as long as it is told to", "[cli]") {
    relocation t;
    t.old.publish("q?delay=1", "later");
    cli_process running{{"import", "--from", t.old.url("q"), "--wait", "1h"}, t.variables(), {}};
    eventually([&] { return t.here.size("q") == 1; });
    t.old.publish("q", "later still");
    eventually([&] { return t.here.size("q") == 2; });
    running.signal(SIGINT);
    const auto got = running.wait();
    CHECK(got.code == 130);
    CHECK(got.out == "imported 2 jobs; 0 were rejected\n");
    CHECK_THAT(got.err, ContainsSubstring("the same command goes on"));
}

TEST_CASE("an import of jobs that is killed again and again loses none, and brings none twice", "[cli]") {
    relocation t;
    constexpr std::size_t many = 150;
    constexpr std::size_t at_once = 50;
    for (std::size_t i = 0; i < many; i += at_once) {
        json::array jobs;
        for (std::size_t n = i; n < i + at_once; ++n) jobs.emplace_back(n);
        t.old.publish("q/bulk?tries=1000", json::serialize(jobs));
    }
    // What has come is done at once, and nothing of it is kept.
    std::map<std::string, std::size_t> done;
    const auto work_off = [&] {
        for (;;) {
            const auto got = t.here.ask("GET", "q?count=100");
            if (got.status == 404) return;
            REQUIRE(got.status == 200);
            const auto jobs = got.document();
            for (const auto& job : jobs.as_array()) {
                ++done[data_of(job.as_object())];
                const std::string id{job.at("job_id").as_string()};
                CHECK(t.here.ask("DELETE", "q/job/" + id).status == 204);
            }
        }
    };
    const std::vector<std::string> words{"import", "--from", t.old.url("q"), "--ttr", "1s"};
    // It does not end by itself before what others had taken is back.
    auto goes_on = words;
    goes_on.insert(goes_on.end(), {"--wait", "1h"});
    for (int kills = 0; kills < 5; ++kills) {
        const cli_process running{goes_on, t.variables(), {}};
        eventually([&] { return t.here.size("q") > 0 || t.old.size("q") == 0; });
        running.signal(SIGKILL);
        work_off();
    }
    // What was in the hands of those that were killed comes back there.
    eventually([&] {
        REQUIRE(t.errand(words).code == 0);
        work_off();
        return done.size() == many;
    });
    eventually([&] { return t.old.size("q") == 0; });
    CHECK(t.errand(words).code == 0);
    work_off();
    for (const auto& [data, times] : done) {
        INFO(data);
        CHECK(times == 1);
    }
    CHECK(t.old.dead("q") == 0);
}

TEST_CASE("a job that cannot be brought over stays where it is, and the reason is kept", "[cli]") {
    relocation t;
    std::ignore = t.run(t.app.set_quota({.max_payload = 1000}));
    t.old.publish("q?tries=1000", std::string(2000, 'x'));
    t.old.publish("q?tries=1000", "small");
    const std::vector<std::string> words{"import", "--from", t.old.url("q"), "--rejects", t.path("rejects"),
                                         "--ttr",  "1s"};
    const auto rejects = [&] {
        std::vector<json::value> all;
        std::ifstream in{t.path("rejects")};
        for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
        return all;
    };
    auto got = t.errand(words);
    CHECK(got.code == 1);
    CHECK_THAT(got.out, StartsWith("imported 1 jobs; 1 were rejected\n"));
    CHECK_THAT(got.err, ContainsSubstring("stays where it was"));
    REQUIRE(rejects().size() == 1);
    CHECK_THAT(std::string{rejects()[0].at("reason").as_string()}, ContainsSubstring("1000"));
    CHECK(json::parse(rejects()[0].at("text").as_string()).at("queue") == "q");
    // It is told of once.
    eventually([&] { return t.old.size("q") == 1; });
    CHECK(t.errand(words).code == 1);
    CHECK(rejects().size() == 1);
    std::ignore = t.run(t.app.set_quota({}));
    eventually([&] { return t.old.size("q") == 1; });
    CHECK(t.errand(words).code == 0);
    CHECK(rejects().empty());
    CHECK(t.here.size("q") == 2);
    CHECK(t.old.dead("q") == 0);
}

TEST_CASE("imports of the same queue at once bring a job once, also when the first was too slow", "[cli]") {
    relocation t;
    // Of one job, until it is acknowledged, which takes so long.
    const auto import_it = [&](std::chrono::milliseconds slow) {
        bool is_there = true;
        scripted_server at{[&](const std::string& line, std::size_t) -> scripted {
            if (line.starts_with("DELETE ")) {
                is_there = false;
                return {acknowledged, slow};
            }
            if (line.ends_with("/deadletter")) return dead_letters(0);
            return line.ends_with("/size") ? ready(is_there ? 1 : 0) : one_job();
        }};
        const auto got = t.errand({"import", "--from", at.url(), "--ttr", "1s"});
        INFO(got.err);
        CHECK(got.code == 0);
        CHECK_FALSE(is_there);
    };
    // Acknowledged when another one may have it already.
    import_it(std::chrono::milliseconds{1100});
    const auto job = t.here.consume("q");
    const std::string id{job.at("job_id").as_string()};
    REQUIRE(t.here.ask("DELETE", "q/job/" + id).status == 204);
    import_it(std::chrono::milliseconds{0});
    CHECK(t.here.ask("GET", "q").status == 404);
}
