#include "support/mariadb_server.hpp"

#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace errand::test {
namespace {

std::filesystem::path program() {
    const char* named = std::getenv("ERRAND_TEST_MARIADB");
    std::filesystem::path path = named && *named ? named : "/usr/sbin/mariadbd";
    if (!std::filesystem::exists(path))
        throw std::runtime_error{"no MariaDB here: run scripts/setup, or set ERRAND_TEST_MARIADB"};
    return path;
}

// A log that is small and the same for all: who opens the files with another size makes it anew.
const std::string log_size = "--innodb-log-file-size=16M";

// A server that starts clears this folder, so each has its own.
std::string temporary_tables_in(const std::filesystem::path& folder) { return "--tmpdir=" + folder.string(); }

}  // namespace

mariadb_server::mariadb_server(options how)
    : database_server{{"mariadb", program(), SIGTERM, SIGKILL}}, how_{std::move(how)} {
    fill();
    if (how_.tls) make_certificate();
    start();
}

std::string mariadb_server::url(const std::string& database) const {
    return "mysql://root@localhost/" + database + "?socket=" + socket_path();
}

std::vector<std::string> mariadb_server::making(const std::filesystem::path& data) const {
    return {"mariadb-install-db",
            "--no-defaults",
            "--datadir=" + data.string(),
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve",
            temporary_tables_in(data.parent_path()),
            log_size};
}

std::vector<std::string> mariadb_server::asking(const std::string& statement) const {
    return {"mariadb", "--no-defaults", "--socket=" + socket_path(), "--user=root", "-e", statement};
}

std::vector<std::string> mariadb_server::serving(const std::filesystem::path& data) const {
    std::vector<std::string> words{program(),
                                   "--no-defaults",
                                   "--datadir=" + data.string(),
                                   "--socket=" + socket_path(),
                                   "--pid-file=" + (folder() / "pid").string(),
                                   temporary_tables_in(folder()),
                                   "--skip-networking",
                                   "--skip-name-resolve",
                                   "--skip-log-bin",
                                   "--character-set-server=utf8mb4",
                                   "--performance-schema=off",
                                   "--innodb-buffer-pool-size=32M",
                                   "--key-buffer-size=1M",
                                   "--aria-pagecache-buffer-size=1M",
                                   "--max-connections=60",
                                   how_.durable ? "--innodb-flush-log-at-trx-commit=1"
                                                : "--innodb-flush-log-at-trx-commit=2",
                                   log_size};
    if (how_.tls) {
        words.insert(words.end(),
                     {"--skip-networking=0", "--bind-address=127.0.0.1", "--port=" + std::to_string(port()),
                      "--ssl-cert=" + certificate().string(), "--ssl-key=" + (folder() / "key.pem").string(),
                      "--require-secure-transport=on"});
    }
    words.insert(words.end(), how_.arguments.begin(), how_.arguments.end());
    return words;
}

// It listens only when all else is done.
bool mariadb_server::ready(pid_t) const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, socket_path().c_str(), sizeof at.sun_path - 1);
    const bool there = connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
    close(fd);
    return there;
}

}  // namespace errand::test
