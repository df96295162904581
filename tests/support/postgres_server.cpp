#include "support/postgres_server.hpp"

#include <cstdlib>
#include <fstream>
#include <signal.h>
#include <stdexcept>

namespace errand::test {
namespace {

namespace fs = std::filesystem;

// Debian keeps a PostgreSQL's programs in a folder of its version, which is on nobody's path.
fs::path programs() {
    if (const char* named = std::getenv("ERRAND_TEST_POSTGRES"); named && *named) return named;
    fs::path best;
    int newest = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", none}) {
        const int version = std::atoi(entry.path().filename().c_str());
        if (version <= newest || !fs::exists(entry.path() / "bin/postgres")) continue;
        newest = version;
        best = entry.path() / "bin";
    }
    if (best.empty())
        throw std::runtime_error{"no PostgreSQL here: run scripts/setup, or set ERRAND_TEST_POSTGRES"};
    return best;
}

}  // namespace

// SIGINT is its fast shutdown. Orphaned it goes at once, but, other than by SIGKILL, takes its shared memory along.
postgres_server::postgres_server(options how)
    : database_server{{"postgres", programs() / "postgres", SIGINT, SIGQUIT}}, how_{std::move(how)} {
    fill();
    std::ofstream{data() / "pg_hba.conf"} << "local all guarded scram-sha-256\nlocal all all trust\n"
                                             "hostssl all all 127.0.0.1/32 trust\n";
    if (how_.tls) make_certificate();
    start();
}

std::string postgres_server::url(const std::string& database) const {
    const auto port_too = how_.tls ? "&port=" + std::to_string(port()) : std::string{};
    return "postgres://errand@/" + database + "?host=" + folder().string() + port_too;
}

std::vector<std::string> postgres_server::making(const fs::path& data) const {
    return {programs() / "initdb",
            "--pgdata",
            data,
            "--username",
            "errand",
            "--auth",
            "trust",
            "--locale",
            "C.UTF-8",
            "--encoding",
            "UTF8",
            "--no-sync",
            "--no-instructions"};
}

std::vector<std::string> postgres_server::asking(const std::string& statement) const {
    // The socket's name has the port in it.
    const auto number = how_.tls ? std::to_string(port()) : std::string{"5432"};
    return {programs() / "psql", "-X",      "-q", "-h", folder(), "-p", number, "-U", "errand", "-c",
            statement,           "postgres"};
}

std::vector<std::string> postgres_server::serving(const fs::path& data) const {
    std::vector<std::string> words{programs() / "postgres", "-D", data};
    const std::string durable = how_.durable ? "on" : "off";
    for (const auto& setting :
         {"unix_socket_permissions=0777", "max_connections=60", "shared_buffers=16MB", "autovacuum=off",
          "wal_level=minimal", "max_wal_senders=0", "dynamic_shared_memory_type=mmap"})
        words.insert(words.end(), {"-c", setting});
    words.insert(words.end(), {"-c", "unix_socket_directories=" + folder().string()});
    words.insert(words.end(), {"-c", "fsync=" + durable, "-c", "full_page_writes=" + durable});
    const auto listen = how_.tls ? "listen_addresses=127.0.0.1" : "listen_addresses=";
    words.insert(words.end(), {"-c", listen});
    if (how_.tls) {
        words.insert(words.end(), {"-c", "port=" + std::to_string(port()), "-c", "ssl=on", "-c",
                                   "ssl_cert_file=" + certificate().string(), "-c",
                                   "ssl_key_file=" + (folder() / "key.pem").string()});
    }
    for (const auto& setting : how_.arguments) words.insert(words.end(), {"-c", setting});
    return words;
}

// The file of one that was killed is still there: it begins with another process.
bool postgres_server::ready(pid_t process) const {
    std::ifstream in{data() / "postmaster.pid"};
    std::string line;
    for (int number = 1; number <= 8; ++number)
        if (!std::getline(in, line) || (number == 1 && line != std::to_string(process))) return false;
    return line.starts_with("ready");
}

}  // namespace errand::test
