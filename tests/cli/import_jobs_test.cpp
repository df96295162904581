// Queues of an lmstfy that are drained by the program `errand`: an errand serve that speaks its API, and one that answers by a script.
#include <errand/quota.hpp>

#include "cli/served.hpp"
#include "core/base64.hpp"
#include "support/places.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <tuple>

using Catch::Matchers::ContainsSubstring;
using cli_test::answer_to;
using cli_test::office;
using errand::test::cli_process;
using errand::test::eventually;

namespace json = boost::json;

namespace {

struct answered {
    int status = 0;
    std::string body;
    json::value document() const { return json::parse(body); }
};

answered ask_http(int port, const std::string& method, const std::string& target,
                  const std::string& headers = {}, const std::string& body = {}) {
    const auto got =
        answer_to(port, method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                            headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    INFO(got);
    const auto end = got.find("\r\n\r\n");
    REQUIRE(end != got.npos);
    return {std::stoi(got.substr(9)), got.substr(end + 4)};
}

// Its API on a namespace of the office's store.
struct lmstfy_server {
    lmstfy_server(const office& of, std::string name_space) : name{std::move(name_space)} {
        auto variables = of.variables();
        variables["ERRAND_NAME_SPACE"] = name;
        server.emplace(std::vector<std::string>{"serve", "--listen", "127.0.0.1:0", "--lmstfy", "127.0.0.1:0",
                                                "--lmstfy-admin", "127.0.0.1:0", "--access-log", "off"},
                       variables, std::string{});
        port = port_behind("lmstfy's API on http://127.0.0.1:");
        const auto admin = port_behind("lmstfy's admin API on http://127.0.0.1:");
        const auto made = ask_http(admin, "POST", "/token/" + name + "?description=test");
        REQUIRE(made.status == 201);
        token = made.document().at("token").as_string();
    }

    int port_behind(const std::string& words) const {
        int found = 0;
        eventually([&] {
            const auto said = server->said();
            const auto at = said.find(words);
            if (at == said.npos || said.find('\n', at) == said.npos) return false;
            found = std::stoi(said.substr(at + words.size()));
            return true;
        });
        return found;
    }
    answered ask(const std::string& method, const std::string& rest, const std::string& body = {},
                 const std::string& headers = {}) const {
        return ask_http(port, method, "/api/" + name + '/' + rest, "X-Token: " + token + "\r\n" + headers,
                        body);
    }
    void publish(const std::string& rest, const std::string& body, const std::string& headers = {}) const {
        REQUIRE(ask("PUT", rest, body, headers).status == 201);
    }
    json::object consume(const std::string& rest) const {
        const auto got = ask("GET", rest);
        INFO(got.body);
        REQUIRE(got.status == 200);
        return got.document().as_object();
    }
    std::int64_t size(const std::string& queue) const {
        return ask("GET", queue + "/size").document().at("size").to_number<std::int64_t>();
    }
    std::int64_t dead(const std::string& queue) const {
        return ask("GET", queue + "/deadletter/size").document().at("size").to_number<std::int64_t>();
    }
    std::string url(const std::string& queues) const {
        return "lmstfy://" + token + "@127.0.0.1:" + std::to_string(port) + '/' + name + '/' + queues;
    }

    std::string name;
    std::string token;
    int port = 0;
    std::optional<cli_process> server{};
};

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

// Answers one request after the other as it was told to, whatever is asked, and closes each connection.
class scripted_server {
public:
    explicit scripted_server(std::vector<std::string> answers) : answers_{std::move(answers)} {
        listens_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof at;
        REQUIRE(::bind(listens_, reinterpret_cast<const sockaddr*>(&at), length) == 0);
        REQUIRE(::listen(listens_, 16) == 0);
        REQUIRE(::getsockname(listens_, reinterpret_cast<sockaddr*>(&at), &length) == 0);
        port = ntohs(at.sin_port);
        thread_ = std::thread{[this] { serve(); }};
    }
    ~scripted_server() {
        ::shutdown(listens_, SHUT_RDWR);
        thread_.join();
        ::close(listens_);
    }
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    // The first lines of what it was asked; when it has answered all.
    std::vector<std::string> asked() {
        eventually([&] {
            const std::lock_guard lock{guard_};
            return asked_.size() == answers_.size();
        });
        const std::lock_guard lock{guard_};
        return asked_;
    }

    int port = 0;

private:
    void serve() {
        for (const auto& answer : answers_) {
            const int one = ::accept(listens_, nullptr, nullptr);
            if (one < 0) return;
            std::string got;
            char part[4096];
            while (got.find("\r\n\r\n") == got.npos) {
                const auto n = ::recv(one, part, sizeof part, 0);
                if (n <= 0) break;
                got.append(part, static_cast<std::size_t>(n));
            }
            ::send(one, answer.data(), answer.size(), MSG_NOSIGNAL);
            ::close(one);
            const std::lock_guard lock{guard_};
            asked_.push_back(got.substr(0, got.find(" HTTP/1.1")));
        }
    }

    const std::vector<std::string> answers_;
    int listens_ = -1;
    std::mutex guard_;
    std::vector<std::string> asked_;
    std::thread thread_;
};

std::string http_answer(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
}

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
    CHECK(got.out == "imported 3 jobs; 0 were rejected\n");
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
    constexpr std::size_t many = 300;
    constexpr std::size_t at_once = 60;
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
    for (int kills = 0; kills < 5; ++kills) {
        const cli_process running{words, t.variables(), {}};
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
    CHECK(got.out == "imported 1 jobs; 1 were rejected\n");
    CHECK_THAT(got.err, ContainsSubstring("stays where it was"));
    REQUIRE(rejects().size() == 1);
    CHECK_THAT(std::string{rejects()[0].at("reason").as_string()}, ContainsSubstring("1000"));
    CHECK(json::parse(rejects()[0].at("text").as_string()).at("queue") == "q");
    // Of the next one they are what it did not take.
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

TEST_CASE("import --from tells an empty queue from an expired job that an lmstfy stops at", "[cli]") {
    office t;
    const auto none = http_answer("404 Not Found", R"({"msg":"no job available"})");
    const auto size = [](int n) {
        return http_answer("200 OK", R"({"namespace":"n","queue":"q","size":)" + std::to_string(n) + "}");
    };
    const auto job = [](const std::string& data) {
        return http_answer(
            "200 OK",
            R"([{"msg":"new job","namespace":"n","queue":"q","job_id":"01M88GS55EFWDR2WCACJC8QW58","data":)" +
                data + R"(,"ttl":100,"elapsed_ms":1,"remain_tries":0,"attributes":null}])");
    };
    scripted_server at{{none, size(3), none, size(2), job("null"), http_answer("204 No Content", ""), none,
                        size(1), none, size(1)}};
    const auto got =
        t.errand({"import", "--from", "lmstfy://token@127.0.0.1:" + std::to_string(at.port) + "/n/q"});
    INFO(got.err);
    CHECK(got.out == "imported 1 jobs; 0 were rejected\n");
    const auto asked = at.asked();
    CHECK(asked[0] == "GET /api/n/q?count=50&timeout=0&ttr=120");
    CHECK(asked[1] == "GET /api/n/q/size");
    CHECK(asked[5] == "DELETE /api/n/q/job/01M88GS55EFWDR2WCACJC8QW58");
    CHECK(t.count(errand::state::ready, "q") == 1);
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
        scripted_server at{{http_answer("200 OK", R"([{"msg":"new job"}])")}};
        CHECK_THAT(said({to(at.port)}), ContainsSubstring("not to be read as jobs"));
    }
    {
        scripted_server at{{""}};
        CHECK_THAT(said({to(at.port)}), ContainsSubstring("does not answer"));
    }
}
