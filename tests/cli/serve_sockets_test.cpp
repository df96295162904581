// The program as a server: certificates, and sockets that it is handed.
#include "cli/given_sockets.hpp"
#include "cli/served.hpp"
#include "support/places.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/un.h>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using cli_test::ask;
using cli_test::office;
using cli_test::port_of;
using errand::test::cli_process;

namespace {

// Sockets that listen, as a process that starts the program opens them.
class open_sockets {
public:
    ~open_sockets() {
        for (const int one : all_) ::close(one);
    }
    int tcp() {
        const int one = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return listening(one, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    }
    int local(const std::string& path) {
        const int one = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
        return listening(one, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    }
    // One that does not listen.
    int deaf() {
        all_.push_back(::socket(AF_INET, SOCK_STREAM, 0));
        return all_.back();
    }
    static int port_of(int socket) {
        sockaddr_in at{};
        socklen_t size = sizeof at;
        REQUIRE(::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) == 0);
        return ntohs(at.sin_port);
    }

private:
    int listening(int one, const sockaddr* at, socklen_t size) {
        all_.push_back(one);
        REQUIRE(::bind(one, at, size) == 0);
        REQUIRE(::listen(one, SOMAXCONN) == 0);
        return one;
    }
    std::vector<int> all_;
};

}  // namespace

TEST_CASE("errand serve takes another certificate at SIGHUP, and stays with what it has when that is none",
          "[cli]") {
    office t;
    const auto folder = errand::test::temporary_folder("serve-tls");
    const auto path = [&](const std::string& name) { return (folder / name).string(); };
    const auto make = [&](const std::string& certificate) {
        const auto command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=errand "
            "-addext subjectAltName=IP:127.0.0.1 -keyout " +
            path("key.pem") + " -out " + path(certificate) + " 2>/dev/null";
        REQUIRE(std::system(command.c_str()) == 0);
    };
    const auto put = [&](const std::string& name) {
        std::filesystem::copy_file(path(name), path("cert.pem"),
                                   std::filesystem::copy_options::overwrite_existing);
    };
    make("first.pem");
    put("first.pem");
    cli_process server{{"serve", "--listen", "127.0.0.1:0", "--access-log", "off", "--tls-certificate",
                        path("cert.pem"), "--tls-key", path("key.pem")},
                       t.variables(),
                       {}};
    const auto at = std::to_string(port_of(server));
    CHECK_THAT(server.said(), ContainsSubstring("on https://127.0.0.1:" + at));
    // By another program that speaks TLS: it fails when it does not trust the certificate.
    const auto trusts = [&](const std::string& name) {
        const auto command = "openssl s_client -connect 127.0.0.1:" + at + " -verify_return_error -CAfile " +
                             path(name) + " </dev/null >/dev/null 2>&1";
        return std::system(command.c_str()) == 0;
    };
    CHECK(trusts("first.pem"));
    make("second.pem");
    CHECK_FALSE(trusts("second.pem"));
    put("second.pem");
    server.signal(SIGHUP);
    errand::test::eventually([&] { return trusts("second.pem"); });
    std::ofstream{path("cert.pem")} << "nonsense";
    server.signal(SIGHUP);
    server.signal(SIGHUP);
    CHECK(trusts("second.pem"));
    server.signal(SIGTERM);
    const auto got = server.wait();
    CHECK(got.code == 0);
    CHECK_THAT(got.err, ContainsSubstring("holds no certificate in PEM; the certificate of before stays"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("errand serve takes the sockets that it is started with, each for what its name says", "[cli]") {
    office t;
    const auto folder = errand::test::temporary_folder("serve-sockets");
    const auto path = (folder / "errand.sock").string();
    open_sockets sockets;
    const int rest = sockets.tcp(), jobs = sockets.tcp(), admin = sockets.tcp(), local = sockets.local(path);
    auto variables = t.variables();
    variables["LISTEN_FDS"] = "4";
    variables["LISTEN_FDNAMES"] = "lmstfy:http:errand.socket:lmstfy-admin";
    const std::vector<std::string> words{"serve", "--access-log", "off", "--json"};
    for (int round = 0; round < 2; ++round) {
        // A client that comes before the service, or between two of them, waits.
        const int early = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(static_cast<std::uint16_t>(open_sockets::port_of(rest)));
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(early, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
        cli_process server{words, variables, {}, {jobs, rest, local, admin}};
        errand::test::eventually([&] { return server.said().find('\n') != std::string::npos; });
        const auto said = boost::json::parse(server.said());
        const auto address = [](int socket) {
            return "http://127.0.0.1:" + std::to_string(open_sockets::port_of(socket));
        };
        CHECK(said.at("listening") == boost::json::array{address(rest), "unix:" + path});
        CHECK(said.at("lmstfy") == boost::json::array{address(jobs)});
        CHECK(said.at("lmstfy_admin") == boost::json::array{address(admin)});
        constexpr std::string_view request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        ::send(early, request.data(), request.size(), MSG_NOSIGNAL);
        char first = 0;
        CHECK(::recv(early, &first, 1, 0) == 1);
        ::close(early);
        CHECK_THAT(ask(open_sockets::port_of(rest), "/healthz"), ContainsSubstring("200 OK"));
        CHECK_THAT(ask(open_sockets::port_of(jobs), "/api/default/q/size"),
                   ContainsSubstring("HTTP/1.1 401"));
        server.signal(SIGTERM);
        CHECK(server.wait().code == 0);
        // It is of who has opened it.
        CHECK(std::filesystem::exists(path));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("sockets that do not fit are refused, and those of another process left alone", "[cli]") {
    office t;
    open_sockets sockets;
    const auto with = [&](const std::string& count, const std::string& names, std::vector<int> given) {
        auto variables = t.variables();
        variables["LISTEN_FDS"] = count;
        variables["LISTEN_FDNAMES"] = names;
        cli_process server{{"serve"}, variables, {}, given};
        const auto got = server.wait();
        CHECK(got.code == 2);
        return got.err;
    };
    CHECK_THAT(with("1", "mail", {sockets.tcp()}),
               ContainsSubstring("a socket of the name \"mail\" is handed over"));
    CHECK_THAT(with("2", "http", {sockets.tcp(), sockets.tcp()}),
               ContainsSubstring("LISTEN_FDNAMES has 1 names for 2 sockets"));
    CHECK_THAT(with("x", "http", {sockets.tcp()}), ContainsSubstring("LISTEN_FDS=x is no number of sockets"));
    CHECK_THAT(with("1", "http", {sockets.deaf()}), ContainsSubstring("file 3 is no socket that listens"));
    // Where others reach it, tokens are needed as ever.
    const int open = ::socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(::listen(open, SOMAXCONN) == 0);
    CHECK_THAT(with("1", "http", {open}), ContainsSubstring("would let anybody who reaches this machine"));
    ::close(open);
    CHECK(errand::cli::given_sockets(7, "8", "1", "http").empty());
    CHECK(errand::cli::given_sockets(7, "7", std::nullopt, "http").empty());
    CHECK(errand::cli::given_sockets(7, "7", "0", "").empty());
    CHECK(errand::cli::given_sockets(7, "7", "2", std::nullopt).at(1).address == "fd:4");
}
