#include "support/database_server.hpp"

#include "support/mariadb_server.hpp"
#include "support/places.hpp"
#include "support/postgres_server.hpp"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <stdexcept>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace errand::test {
namespace {

namespace fs = std::filesystem;

// That the server's user owns.
fs::path server_folder(const std::string& name) {
    auto made = temporary_folder(name);
    give_to(unprivileged_user(), made);
    return made;
}

// Held by one of the test programs that run at once.
class file_lock {
public:
    explicit file_lock(const fs::path& file) : fd_{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)} {
        if (fd_ < 0 || flock(fd_, LOCK_EX) != 0) throw std::runtime_error{"no lock: " + file.string()};
    }
    ~file_lock() { close(fd_); }
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

private:
    int fd_;
};

}  // namespace

database_server::database_server(habits how) : how_{std::move(how)}, folder_{server_folder(how_.name)} {}

database_server::~database_server() {
    process_.end(how_.when_orphaned);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::string database_server::log() const {
    std::ifstream in{folder_ / "log"};
    return {std::istreambuf_iterator<char>{in}, {}};
}

private_process::command database_server::command(std::vector<std::string> words, const fs::path& in) const {
    return {std::move(words), in, in / "log", how_.when_orphaned};
}

// Where the files of a new server are, made by the first who asks.
fs::path database_server::original() const {
    const auto made_by = fs::last_write_time(how_.program).time_since_epoch().count();
    const fs::path all{ERRAND_SERVER_FILES_DIR};
    fs::create_directories(all);
    const auto mine = all / (how_.name + "-" + std::to_string(made_by));
    const file_lock lock{all / (how_.name + ".lock")};
    if (fs::exists(mine)) return mine;
    const auto work = server_folder(how_.name + "-new");
    run_private(command(making(work / "data"), work));
    const auto part = all / (how_.name + "-part");
    fs::remove_all(part);
    fs::copy(work / "data", part, fs::copy_options::recursive);
    fs::remove_all(work);
    fs::rename(part, mine);
    return mine;
}

void database_server::fill() {
    fs::copy(original(), data(), fs::copy_options::recursive);
    give_to(unprivileged_user(), data());
}

std::string database_server::tcp_url(const std::string& database) const {
    return scheme_and_user() + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

void database_server::make_certificate() {
    port_ = free_port();
    const auto path = folder_.string();
    const auto command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext "
                         "subjectAltName=IP:127.0.0.1 -keyout " +
                         path + "/key.pem -out " + path + "/cert.pem 2>/dev/null";
    if (std::system(command.c_str()) != 0) throw std::runtime_error{"openssl made no certificate"};
    for (const auto* file : {"key.pem", "cert.pem"}) give_to(unprivileged_user(), folder_ / file);
}

void database_server::launch() {
    fs::remove(folder_ / "log");
    process_.start(command(serving(data()), folder_));
}

void database_server::start() {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    launch();
    while (std::chrono::steady_clock::now() < give_up) {
        if (!process_.running()) {
            // A PostgreSQL that was killed leaves processes for a moment, and a new one refuses to run beside them.
            if (log().find("pre-existing shared memory block") == std::string::npos)
                throw std::runtime_error{how_.name + " ended: " + log()};
            launch();
        }
        if (ready(process_.pid())) return;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    throw std::runtime_error{how_.name + " did not start: " + log()};
}

std::string database_server::make_database() {
    auto name = "test_" + std::to_string(++databases_);
    run_private({asking("CREATE DATABASE " + name), folder_, folder_ / "client", how_.when_orphaned});
    return name;
}

database_server& server_of_program(std::string_view kind) {
    static const auto server = make_database_server(kind);
    return *server;
}

// PostgreSQL's processes for connections would serve on until they see that their server is gone.
void database_server::kill() {
    const auto pid = std::to_string(process_.pid());
    std::ifstream children{"/proc/" + pid + "/task/" + pid + "/children"};
    const std::vector<pid_t> served{std::istream_iterator<pid_t>{children}, {}};
    process_.end(SIGKILL);
    for (const auto one : served) ::kill(one, SIGKILL);
}
void database_server::stop() { process_.end(how_.stop_signal); }
void database_server::restart() { start(); }
void database_server::freeze() { process_.signal(SIGSTOP); }
void database_server::thaw() { process_.signal(SIGCONT); }

std::unique_ptr<database_server> make_database_server(std::string_view kind, database_server::options how) {
    if (kind == "postgres") return std::make_unique<postgres_server>(std::move(how));
    if (kind == "mysql") return std::make_unique<mariadb_server>(std::move(how));
    throw std::runtime_error{"no server of the kind " + std::string{kind}};
}

}  // namespace errand::test
