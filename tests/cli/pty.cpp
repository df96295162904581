#include "cli/pty.hpp"

#include "cli/run.hpp"
#include "support/inherited_files.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

namespace errand::test {

cli_terminal::cli_terminal(std::vector<std::string> words,
                           const std::map<std::string, std::string>& variables, winsize size) {
    REQUIRE(openpty(&master_, &slave_, nullptr, nullptr, &size) == 0);
    words.insert(words.begin(), ERRAND_CLI_PROGRAM);
    std::vector<std::string> environment;
    for (const auto& [name, value] : variables) environment.push_back(name + '=' + value);
    const auto arguments = pointers(words);
    const auto shown = pointers(environment);
    const auto parent = getpid();
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    login_tty(slave_);
    inherit_streams_only();
    execve(arguments[0], arguments.data(), shown.data());
    _exit(127);
}

cli_terminal::~cli_terminal() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    close(master_);
    close(slave_);
}

void cli_terminal::type(const std::string& keys) {
    REQUIRE(::write(master_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

bool cli_terminal::read_on() {
    pollfd ready{.fd = master_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, 2) <= 0) return false;
    char part[4096];
    const auto got = read(master_, part, sizeof part);
    if (got > 0) seen_.append(part, static_cast<std::size_t>(got));
    return got > 0;
}

void cli_terminal::sees(const std::string& text) {
    eventually([&] { return read_on(), seen_.find(text) != seen_.npos; });
}

int cli_terminal::wait() {
    int raw = 0;
    eventually([&] { return read_on(), waitpid(pid_, &raw, WNOHANG) == pid_; });
    pid_ = -1;
    while (read_on()) continue;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
}

tcflag_t cli_terminal::key_flags() const {
    termios now{};
    tcgetattr(master_, &now);
    return now.c_lflag;
}

}  // namespace errand::test
