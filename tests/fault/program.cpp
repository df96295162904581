#include "fault/program.hpp"

#include "support/inherited_files.hpp"
#include "support/shards.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace errand::test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    return raw;
}

int status_of(int raw) { return WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw); }

}  // namespace

bool holds_within(std::chrono::milliseconds limit, const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
}

program::program(const std::string& name, std::vector<std::string> arguments,
                 const std::map<std::string, std::string>& variables, const std::string& output) {
    arguments.insert(arguments.begin(), std::string{ERRAND_PROGRAMS_DIR} + "/" + name);
    std::vector<std::string> environment;
    for (const auto& [variable, value] : variables) environment.push_back(variable + "=" + value);
    if (!variables.contains("ERRAND_SHARDS"))
        environment.push_back("ERRAND_SHARDS=" + std::to_string(shards_of_tests()));
    for (char** one = environ; *one; ++one) {
        const std::string text = *one;
        if (!variables.contains(text.substr(0, text.find('=')))) environment.push_back(text);
    }
    // Nothing is allocated in the child: the test may have other threads.
    const auto words = pointers(arguments);
    const auto shown = pointers(environment);
    const auto parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error{"no process for " + arguments[0]};
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    test::inherit_streams_only();
    execve(words[0], words.data(), shown.data());
    _exit(127);
}

program::~program() { kill(); }

void program::signal(int number) const {
    if (!status_) ::kill(pid_, number);
}

void program::kill() {
    if (ended()) return;
    signal(SIGKILL);
    int raw = 0;
    waitpid(pid_, &raw, 0);
    status_ = status_of(raw);
}

std::optional<int> program::ended() {
    int raw = 0;
    if (!status_ && waitpid(pid_, &raw, WNOHANG) == pid_) status_ = status_of(raw);
    return status_;
}

}  // namespace errand::test
