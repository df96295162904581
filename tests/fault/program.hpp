// A child process of a test: killed with this object, and with the test however that ends.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace errand::test {

// Looks again and again until the condition holds; whether it does within the limit.
bool holds_within(std::chrono::milliseconds limit, const std::function<bool()>& condition);

class program {
public:
    // Starts one of ERRAND_PROGRAMS_DIR. The environment is the test's with these variables; what it says
    // goes to a file.
    program(const std::string& name, std::vector<std::string> arguments,
            const std::map<std::string, std::string>& variables, const std::string& output);
    ~program();
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    void kill();  // SIGKILL, and waits
    // The status with which it has ended, negative for a signal; nothing while it runs.
    std::optional<int> ended();

private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

}  // namespace errand::test
