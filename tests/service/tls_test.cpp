// The service by https: who it is, what it says to who does not speak TLS, and another certificate while it serves.
#include <errand/error.hpp>

#include "runtime/app_core.hpp"
#include "service/certificates.hpp"
#include "service/programs.hpp"
#include "support/places.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <deque>
#include <fstream>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using service_test::certificate_files;
using service_test::client;
using service_test::counter;
using service_test::program;

namespace {

errand::service_options by(const certificate_files& files) {
    errand::service_options how;
    how.tls = files.options();
    return how;
}

std::string post(const counter& t, std::string_view path, const std::string& body) {
    return "POST " + t.path(path) +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

void write(const std::string& path, std::string_view text) { std::ofstream{path} << text; }

// What systemd hands over: a unix socket that listens.
int listening_at(const std::string& path) {
    const int one = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    REQUIRE(::bind(one, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
    REQUIRE(::listen(one, 8) == 0);
    return one;
}

void waits(client& at, const counter& t, const std::string& name) {
    at.send(post(t, "/work:claim",
                 R"({"worker": ")" + name + R"(", "queues": {"foreign": 1}, "wait_ms": 60000})"));
}

}  // namespace

TEST_CASE("with a certificate the service is asked by https, and says so", "[service]") {
    const certificate_files files;
    counter t{by(files)};
    REQUIRE(t.address().starts_with("https://127.0.0.1:"));
    client at{t.address(), files.certificate()};
    CHECK(at.ask("GET", "/healthz").status == 200);
    // Larger than what TLS carries at once, both ways.
    const std::string large(300'000, 'x');
    const auto body = R"({"handler": "parcel", "args": [")" + large + R"("]})";
    const auto made = at.ask("POST", t.path("/tasks"), body);
    REQUIRE(made.status == 201);
    const auto id = std::string{made.json().at("id").as_string()};
    CHECK(at.ask("GET", t.path("/tasks/" + id)).json().at("args").at(0) == boost::json::string_view{large});
    // Requests that are sent ahead, one in two parts.
    const auto next = post(t, "/tasks", R"({"handler": "parcel", "args": [1]})");
    at.send(next + next.substr(0, 40));
    CHECK(at.receive().status == 201);
    at.send(next.substr(40));
    CHECK(at.receive().status == 201);
    // An answer that waits, and the end after the last one.
    t.app.block_on(t.app.start());
    const auto ended = at.ask("GET", t.path("/tasks/" + id + "?wait_ms=60000"));
    CHECK(ended.json().at("state") == "success");
    CHECK(at.ask("GET", "/healthz", {}, {"Connection: close"}).closes());
    CHECK(at.ended());
}

TEST_CASE("an address can be said to be plain beside those with TLS, and a unix socket is", "[service]") {
    const certificate_files files;
    auto how = by(files);
    how.listen = {"127.0.0.1:0", "http://127.0.0.1:0", "https://127.0.0.1:0",
                  "unix:" + (files.folder() / "errand.sock").string()};
    counter t{how};
    CHECK(client{t.addresses.at(0), files.certificate()}.ask("GET", "/healthz").status == 200);
    REQUIRE(t.addresses.at(1).starts_with("http://"));
    CHECK(client{t.addresses.at(1)}.ask("GET", "/healthz").status == 200);
    CHECK(client{t.addresses.at(2), files.certificate()}.ask("GET", "/healthz").status == 200);
    CHECK(client{t.addresses.at(3)}.ask("GET", "/healthz").status == 200);
}

TEST_CASE("a unix socket that is said to speak TLS does, one in the file system and one that is handed over",
          "[service]") {
    const certificate_files files;
    const auto own = (files.folder() / "errand.sock").string(),
               given = (files.folder() / "given.sock").string();
    const int listens = listening_at(given);
    auto how = by(files);
    how.listen = {"https://unix:" + own, "https://fd:" + std::to_string(listens)};
    counter t{how};
    REQUIRE(t.addresses == std::vector<std::string>{"https://unix:" + own, "https://unix:" + given});
    for (const auto& address : t.addresses) {
        client at{address, files.certificate()};
        CHECK(at.ask("GET", "/healthz").status == 200);
        client plain{address};
        CHECK_THAT(plain.ask("GET", "/healthz").body, ContainsSubstring("this address speaks TLS"));
    }
    errand::test::test_app other;
    how = {};
    how.listen = {"https://unix:" + own};
    CHECK_THROWS_MATCHES(
        (errand::service{other.app, how}), errand::usage_error,
        MessageMatches(ContainsSubstring("is to speak TLS: name a certificate and its key")));
}

TEST_CASE("whoever does not speak TLS where it is spoken is told so or cut, and disturbs nobody",
          "[service]") {
    const certificate_files files;
    auto how = by(files);
    how.header_timeout = 5s;
    counter t{how};
    client at{t.address(), files.certificate()};
    CHECK(at.ask("GET", "/healthz").status == 200);
    client plain{t.address()};
    const auto told = plain.ask("GET", "/healthz");
    CHECK(told.status == 400);
    CHECK_THAT(told.body, ContainsSubstring("this address speaks TLS: ask it by https"));
    CHECK(plain.ended());
    // Other words, records that are none, a hello that never ends, and silence.
    std::deque<client> odd;
    for (const std::string bytes : {"\x01\x02\x03\x04 garbage", "SSH-2.0-x", "\x16\x03\x01\xff\xff", "\x16",
                                    "\x16\x03\x01\x02\x05\x01\x02\x01\xfc\x03\x03", ""}) {
        odd.emplace_back(t.address()).send(bytes);
    }
    for (const auto& one : odd) CHECK(one.ended_anyhow());
    // Bytes that are none of TLS after it has begun.
    client broken{t.address(), files.certificate()};
    CHECK(broken.ask("GET", "/healthz").status == 200);
    broken.send_below("this is no record of TLS");
    CHECK(broken.ended_anyhow());
    CHECK(at.ask("GET", "/healthz").status == 200);
}

TEST_CASE("a client that hangs up by TLS while it waits takes nothing", "[service]") {
    const certificate_files files;
    counter t{by(files)};
    const auto goes = [&](const std::function<void(client&)>& how) {
        client gone{t.address(), files.certificate()};
        waits(gone, t, "gone");
        how(gone);
        const auto id = t.submit(service_test::foreign_task, files.certificate());
        client there{t.address(), files.certificate()};
        waits(there, t, "there");
        const auto got = there.receive().json();
        INFO(boost::json::serialize(got));
        REQUIRE(got.at("tasks").as_array().size() == 1);
        const auto& task = got.at("tasks").at(0).as_object();
        CHECK(task.at("id") == boost::json::string_view{id});
        CHECK(task.at("attempt") == 1);
        there.send(post(t, "/tasks/" + id + ":report",
                        R"({"outcome": "success", "claim": ")" + std::string{task.at("claim").as_string()} +
                            "\"}"));
        CHECK(there.receive().status == 200);
    };
    goes([](client& gone) { gone.close(); });
    goes([](client& gone) { gone.half_close(); });
    goes([](client& gone) { gone.say_end(); });
}

TEST_CASE("a client that hangs up by TLS together with its request takes nothing", "[service]") {
    const certificate_files files;
    counter t{by(files)};
    const auto id = t.submit(service_test::foreign_task, files.certificate());
    client gone{t.address(), files.certificate()};
    gone.send_and_end(post(t, "/work:claim",
                           R"({"worker": "gone", "queues": {"foreign": 1}, "wait_ms": 60000})"));
    CHECK(gone.ended_anyhow());
    client there{t.address(), files.certificate()};
    waits(there, t, "there");
    const auto got = there.receive().json();
    REQUIRE(got.at("tasks").as_array().size() == 1);
    const auto& task = got.at("tasks").at(0).as_object();
    CHECK(task.at("id") == boost::json::string_view{id});
    CHECK(task.at("attempt") == 1);
}

TEST_CASE("a stream of events by TLS has an end that is told", "[service]") {
    const certificate_files files;
    counter t{by(files)};
    const auto id = t.submit(R"({"handler": "parcel", "args": [1]})", files.certificate());
    client at{t.address(), files.certificate()};
    REQUIRE(at.ask("GET", t.path("/tasks/" + id + "/events")).status == 200);
    at.receive_until("data: ");
    t.app.block_on(t.app.start());
    at.receive_until("event: end");
    at.receive_until("\n\n");
    CHECK(at.ended());
}

TEST_CASE("another certificate holds for connections from then on, and those that are open go on",
          "[service]") {
    const certificate_files files;
    counter t{by(files)};
    const auto first = files.kept_as("first.pem");
    client open{t.address(), first};
    CHECK(open.ask("GET", "/healthz").status == 200);
    files.renew();
    t.service->reload_tls();
    CHECK(open.ask("GET", "/healthz").status == 200);
    CHECK_FALSE(client::trusts(t.address(), first));
    CHECK(client{t.address(), files.certificate()}.ask("GET", "/healthz").status == 200);
    // Files that do not fit leave what is there.
    const auto second = files.kept_as("second.pem");
    write(files.key(), "nonsense");
    CHECK_THROWS_MATCHES(t.service->reload_tls(), errand::usage_error,
                         MessageMatches(ContainsSubstring("holds no private key in PEM")));
    CHECK(client{t.address(), second}.ask("GET", "/healthz").status == 200);
    CHECK(open.ask("GET", "/healthz").status == 200);
}

TEST_CASE("files that make no certificate are refused in one sentence", "[service]") {
    const certificate_files files;
    errand::test::test_app t;
    const auto refuses = [&](const errand::service_options& how, const std::string& words) {
        CHECK_THROWS_MATCHES((errand::service{t.app, how}), errand::usage_error,
                             MessageMatches(ContainsSubstring(words)));
    };
    auto how = by(files);
    how.tls.key_file.clear();
    refuses(how, "name both, the certificate and its key");
    how = by(files);
    how.tls.certificate_file.clear();
    refuses(how, "name both, the certificate and its key");
    how = {};
    how.listen = {"https://127.0.0.1:0"};
    refuses(how, "is to speak TLS: name a certificate and its key");
    how = by(files);
    how.tls.certificate_file = "/nowhere/cert.pem";
    refuses(how, "tls: the certificate /nowhere/cert.pem: No such file or directory");
    how.tls = {.certificate_file = files.certificate(), .key_file = files.folder().string()};
    refuses(how, "tls: the key " + files.folder().string() + ": cannot be read");
    how = by(files);
    how.tls.certificate_file = files.key();
    refuses(how, "holds no certificate in PEM");
    const certificate_files others;
    how.tls = {.certificate_file = files.certificate(), .key_file = others.key()};
    refuses(how,
            "tls: the key " + others.key() + ": does not belong to the certificate " + files.certificate());
    others.renew({.passphrase = "secret"});
    refuses(by(others), "holds no private key in PEM without a passphrase");
    // What is read first is good, and what stands behind it is not.
    std::ofstream{files.certificate(), std::ios::app}
        << "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    refuses(by(files), "cannot be used");
}

TEST_CASE("a certificate that is not valid today is served and warned of", "[service]") {
    const certificate_files files;
    errand::test::test_app t;
    std::ostringstream lines;
    auto settings = t.app.settings();
    settings.log_level = "warn";
    errand::app app{settings};
    errand::detail::core_of(app).log->sinks() = {std::make_shared<spdlog::sinks::ostream_sink_mt>(lines)};
    const errand::service today{app, by(files)};
    CHECK(lines.str().empty());
    files.renew({.first_day = -3, .last_day = -1});
    const errand::service late{app, by(files)};
    CHECK_THAT(lines.str(),
               ContainsSubstring("tls: the certificate " + files.certificate() + " has expired at 20"));
    files.renew({.first_day = 1, .last_day = 3});
    const errand::service early{app, by(files)};
    CHECK_THAT(lines.str(), ContainsSubstring(files.certificate() + " is not valid before 20"));
}
