#include "support/self_process.hpp"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace errand::test {

pid_t start_self(const std::vector<std::string>& words) {
    constexpr auto self = "/proc/self/exe";
    // Made before: what another thread holds stays held in the child.
    auto all = words;
    all.insert(all.begin(), self);
    std::vector<char*> raw;
    for (auto& word : all) raw.push_back(word.data());
    raw.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::execv(self, raw.data());
    std::_Exit(127);
}

void end_self(pid_t pid, int signal) {
    ::kill(pid, signal);
    int status = 0;
    ::waitpid(pid, &status, 0);
}

}  // namespace errand::test
