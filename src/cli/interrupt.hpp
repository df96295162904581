// Ctrl-C in the middle of many steps: the first one asks the command to stop after the step, the second one ends it.
#pragma once

namespace errand::cli {

class interruptible {
public:
    interruptible();
    ~interruptible();
    interruptible(const interruptible&) = delete;
    interruptible& operator=(const interruptible&) = delete;

    // Whether SIGINT or SIGTERM has come.
    [[nodiscard]] bool asked() const noexcept;
};

}  // namespace errand::cli
