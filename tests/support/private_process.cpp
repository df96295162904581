#include "support/private_process.hpp"

#include "support/inherited_files.hpp"

#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <pwd.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace errand::test {
namespace {

[[noreturn]] void become(const private_process::command& what, const unprivileged& who, char* const* words,
                         pid_t parent) {
    const int log = ::open(what.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (log < 0 || nothing < 0 || chdir(what.folder.c_str()) != 0) _exit(127);
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(who.group) != 0 || setuid(who.user) != 0))
        _exit(127);
    dup2(nothing, 0);
    dup2(log, 1);
    dup2(log, 2);
    // After the change of user, which forgets it.
    prctl(PR_SET_PDEATHSIG, what.when_orphaned);
    if (getppid() != parent) _exit(127);
    inherit_streams_only();
    execvp(words[0], words);
    _exit(127);
}

}  // namespace

unprivileged unprivileged_user() {
    if (geteuid() != 0) return {geteuid(), getegid()};
    const passwd* nobody = getpwnam("nobody");
    if (!nobody) throw std::runtime_error{"there is no user nobody to run a test's server"};
    return {nobody->pw_uid, nobody->pw_gid};
}

void give_to(const unprivileged& who, const std::filesystem::path& what) {
    if (geteuid() != 0) return;
    const auto give = [&](const std::filesystem::path& one) {
        if (lchown(one.c_str(), who.user, who.group) != 0)
            throw std::runtime_error{"cannot give away " + one.string()};
    };
    give(what);
    if (!std::filesystem::is_directory(what)) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{what}) give(entry.path());
}

void private_process::start(const command& what) {
    // All that allocates comes before the fork: the test may have threads.
    const auto who = unprivileged_user();
    auto words = what.words;
    std::vector<char*> raw;
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    const auto parent = getpid();
    pid_ = fork();
    if (pid_ == 0) become(what, who, raw.data(), parent);
    if (pid_ < 0) throw std::runtime_error{"no process for " + words[0]};
}

bool private_process::running() {
    if (pid_ < 0) return false;
    if (waitpid(pid_, nullptr, WNOHANG) == 0) return true;
    pid_ = -1;
    return false;
}

void private_process::signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
}

void private_process::end(int number) {
    signal(number);
    signal(SIGCONT);
    wait();
}

bool private_process::wait() {
    if (pid_ < 0) return false;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void run_private(const private_process::command& what) {
    private_process process;
    process.start(what);
    if (process.wait()) return;
    std::ifstream printed{what.log};
    throw std::runtime_error{what.words[0] +
                             " failed: " + std::string{std::istreambuf_iterator<char>{printed}, {}}};
}

}  // namespace errand::test
