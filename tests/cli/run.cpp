#include "cli/run.hpp"

#include "support/inherited_files.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace errand::test {
namespace {

struct close_file {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using file = std::unique_ptr<std::FILE, close_file>;

file temporary(const std::string& text = {}) {
    file fresh{std::tmpfile()};
    REQUIRE(fresh);
    std::fwrite(text.data(), 1, text.size(), fresh.get());
    std::fflush(fresh.get());
    std::rewind(fresh.get());
    return fresh;
}

std::string contents(std::FILE* from) {
    std::string all;
    char part[4096];
    std::rewind(from);
    for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, from)) > 0;) all.append(part, n);
    return all;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
    std::vector<std::string> all;
    for (const auto& [name, value] : variables) all.push_back(name + '=' + value);
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string text = *one;
        const auto name = text.substr(0, text.find('='));
        if (!variables.contains(name) && name != "COLUMNS") all.push_back(text);
    }
    return all;
}

// As files from 3 on. Between fork() and exec().
void hand_over(const std::vector<int>& sockets) {
    constexpr int first = STDERR_FILENO + 1, out_of_the_way = 200;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        const int at = static_cast<int>(i);
        // Its number may be that of one that is still to be handed over.
        dup3(fcntl(sockets[i], F_DUPFD_CLOEXEC, out_of_the_way), out_of_the_way + 100 + at, O_CLOEXEC);
    }
    for (int at = 0; at < static_cast<int>(sockets.size()); ++at) dup2(out_of_the_way + 100 + at, first + at);
}

}  // namespace

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    return raw;
}

struct cli_process::files {
    file in;
    file out = temporary();
    file err = temporary();
};

boost::json::value cli_result::json() const {
    INFO(out << err);
    boost::system::error_code ec;
    auto value = boost::json::parse(out, ec);
    REQUIRE_FALSE(ec);
    return value;
}

std::vector<std::string> cli_result::lines() const {
    std::vector<std::string> all;
    std::istringstream in{out};
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

cli_process::cli_process(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& variables, const std::string& input,
                         const std::vector<int>& sockets)
    : files_{new files{.in = temporary(input)}} {
    auto all = words;
    all.insert(all.begin(), ERRAND_CLI_PROGRAM);
    auto environment = environment_with(variables);
    // Whose sockets they are only the process itself knows.
    std::string owner = "LISTEN_PID=0000000000";
    const auto arguments = pointers(all);
    auto shown = pointers(environment);
    if (!sockets.empty()) shown.insert(shown.begin(), owner.data());
    const auto parent = getpid();
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(fileno(files_->in.get()), STDIN_FILENO);
    dup2(fileno(files_->out.get()), STDOUT_FILENO);
    dup2(fileno(files_->err.get()), STDERR_FILENO);
    inherit_streams_only();
    hand_over(sockets);
    std::snprintf(owner.data(), owner.size() + 1, "LISTEN_PID=%d", getpid());
    execve(arguments[0], arguments.data(), shown.data());
    _exit(127);
}

cli_process::~cli_process() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

std::string cli_process::said() const {
    // Not by the place in the file, which is the process's own too.
    std::string all;
    char part[4096];
    const int file = fileno(files_->out.get());
    for (ssize_t n = 0; (n = pread(file, part, sizeof part, static_cast<off_t>(all.size()))) > 0;)
        all.append(part, static_cast<std::size_t>(n));
    return all;
}

void cli_process::signal(int number) const { ::kill(pid_, number); }

cli_result cli_process::wait() {
    int raw = 0;
    while (waitpid(pid_, &raw, 0) < 0) REQUIRE(errno == EINTR);
    pid_ = -1;
    return {.code = WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw),
            .out = contents(files_->out.get()),
            .err = contents(files_->err.get())};
}

}  // namespace errand::test
