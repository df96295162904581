// A server program of a test's own, run by somebody who may do nothing: when the test is root, as `nobody`. It ends with this
// object, and with the test's process however that ends.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace errand::test {

// Who runs it: this process's user, or nobody.
struct unprivileged {
    uid_t user;
    gid_t group;
};
unprivileged unprivileged_user();

// Gives a file or folder with all in it to that user.
void give_to(const unprivileged& who, const std::filesystem::path& what);

class private_process {
public:
    struct command {
        std::vector<std::string> words;
        std::filesystem::path folder;  // where it runs
        std::filesystem::path log;     // what it prints
        int when_orphaned;             // the signal that it gets when the test's process has ended
    };

    private_process() = default;
    ~private_process() { end(9); }
    private_process(const private_process&) = delete;
    private_process& operator=(const private_process&) = delete;

    void start(const command& what);
    // Whether it runs still.
    bool running();
    pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    // Signals it and waits for its end.
    void end(int signal);
    // Waits for its end; whether that was exit code 0.
    bool wait();

private:
    pid_t pid_ = -1;
};

// Runs one to its end. Throws with what it printed when it fails.
void run_private(const private_process::command& what);

}  // namespace errand::test
