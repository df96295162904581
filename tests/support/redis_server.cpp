#include "support/redis_server.hpp"

#include "support/inherited_files.hpp"
#include "support/places.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace errand::test {
namespace {

std::string binary() {
    const char* named = std::getenv("ERRAND_TEST_REDIS_SERVER");
    return named && *named ? named : "redis-server";
}

int connect_to(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
    if (connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) return fd;
    close(fd);
    return -1;
}

std::string read_exactly(int fd, std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t at = 0; at < size;) {
        const auto n = read(fd, text.data() + at, size - at);
        if (n <= 0) throw std::runtime_error{"the test's Redis hung up"};
        at += static_cast<std::size_t>(n);
    }
    return text;
}

std::string read_line(int fd) {
    std::string line;
    while (!line.ends_with("\r\n")) line += read_exactly(fd, 1);
    return line.substr(0, line.size() - 2);
}

std::string read_reply(int fd) {
    const auto line = read_line(fd);
    const auto rest = line.substr(1);
    if (line[0] == '-') return line;
    if (line[0] == '$') {
        if (rest == "-1") return "(nil)";
        auto text = read_exactly(fd, std::stoul(rest) + 2);
        return text.substr(0, text.size() - 2);
    }
    if (line[0] == '*') {
        std::string all;
        for (int left = std::stoi(rest); left > 0; --left) all += read_reply(fd) + (left > 1 ? "\n" : "");
        return all;
    }
    return rest;
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

redis_server::redis_server() : redis_server{options{}} {}

redis_server::redis_server(options how) : how_{std::move(how)}, folder_{temporary_folder("redis")} {
    if (how_.tcp || how_.tls) port_ = how_.port ? how_.port : free_port();
    if (how_.tls) make_certificate();
    for (const auto& [name, text] : how_.files) std::ofstream{folder_ / name} << text;
    start();
}

redis_server::~redis_server() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string redis_server::url() const { return "redis+unix://" + socket_path(); }

std::string redis_server::tcp_url() const {
    return (how_.tls ? "rediss://127.0.0.1:" : "redis://127.0.0.1:") + std::to_string(port_);
}

void redis_server::make_certificate() const {
    const auto path = folder_.string();
    const auto command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext "
                         "subjectAltName=IP:127.0.0.1 -keyout " +
                         path + "/key.pem -out " + path + "/cert.pem 2>/dev/null";
    if (std::system(command.c_str()) != 0) throw std::runtime_error{"openssl made no certificate"};
}

void redis_server::start() {
    const auto path = folder_.string();
    std::vector<std::string> words{binary(),     "--unixsocket", socket_path(),
                                   "--dir",      path,           "--save",
                                   "",           "--port",       how_.tls ? "0" : std::to_string(port_),
                                   "--bind",     "127.0.0.1",    "--logfile",
                                   path + "/log"};
    if (!how_.configuration.empty()) words.insert(words.begin() + 1, path + "/" + how_.configuration);
    if (how_.append_only) words.insert(words.end(), {"--appendonly", "yes", "--appendfsync", "always"});
    if (how_.tls) {
        words.insert(words.end(), {"--tls-port", std::to_string(port_), "--tls-cert-file", path + "/cert.pem",
                                   "--tls-key-file", path + "/key.pem", "--tls-auth-clients", "no"});
    }
    words.insert(words.end(), how_.arguments.begin(), how_.arguments.end());
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);

    std::filesystem::remove(socket_path());
    const auto parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        inherit_streams_only();
        for (auto& variable : how_.environment) putenv(variable.data());
        execvp(raw[0], raw.data());
        _exit(127);
    }
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (std::chrono::steady_clock::now() < give_up) {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
            pid_ = -1;
            throw std::runtime_error{binary() + " ended at once: " + text_of(folder_ / "log")};
        }
        if (const int fd = connect_to(socket_path()); fd >= 0) {
            close(fd);
            if (!command({"PING"}).starts_with("-LOADING")) return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    throw std::runtime_error{binary() + " did not start: " + text_of(folder_ / "log")};
}

void redis_server::end(int signal) {
    if (pid_ < 0) return;
    ::kill(pid_, signal);
    ::kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void redis_server::kill() { end(SIGKILL); }
void redis_server::stop() { end(SIGTERM); }

void redis_server::restart() {
    const auto log = folder_ / "log";
    const auto from = text_of(log).size();
    start();
    if (text_of(log).find("Truncating the AOF", from) != std::string::npos) write_file_anew();
}

// As whoever runs it is told to (docs/guide.md): Redis leaves the first half of a transaction that a kill has torn in its
// file, and runs it at the next restart. That takes what was accepted out of its queue, for nobody.
void redis_server::write_file_anew() const {
    command({"BGREWRITEAOF"});
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (std::chrono::steady_clock::now() < give_up) {
        const auto info = command({"INFO", "persistence"});
        if (info.find("aof_rewrite_in_progress:0") != std::string::npos &&
            info.find("aof_rewrite_scheduled:0") != std::string::npos) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    throw std::runtime_error{binary() + " did not write its file anew: " + text_of(folder_ / "log")};
}

void redis_server::freeze() { ::kill(pid_, SIGSTOP); }
void redis_server::thaw() { ::kill(pid_, SIGCONT); }

std::string redis_server::command(const std::vector<std::string>& words) const {
    const int fd = connect_to(socket_path());
    if (fd < 0) throw std::runtime_error{"the test's Redis is not there"};
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    std::string answer;
    try {
        if (::write(fd, request.data(), request.size()) < 0)
            throw std::runtime_error{"the test's Redis hung up"};
        answer = read_reply(fd);
    } catch (...) {
        close(fd);
        throw;
    }
    close(fd);
    return answer;
}

}  // namespace errand::test
