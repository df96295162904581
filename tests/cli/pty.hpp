// The program `errand` on a terminal of its own, as somebody who sits before it sees it.
#pragma once

#include <map>
#include <string>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>
#include <vector>

namespace errand::test {

class cli_terminal {
public:
    cli_terminal(std::vector<std::string> words, const std::map<std::string, std::string>& variables,
                 winsize size = {.ws_row = 20, .ws_col = 70, .ws_xpixel = 0, .ws_ypixel = 0});
    ~cli_terminal();
    cli_terminal(const cli_terminal&) = delete;
    cli_terminal& operator=(const cli_terminal&) = delete;

    void type(const std::string& keys);
    // REQUIREs that this comes to be seen.
    void sees(const std::string& text);
    // Reads on until the program has ended; its exit code, negative for a signal.
    int wait();

    const std::string& seen() const noexcept { return seen_; }
    // How the terminal treats keys now.
    tcflag_t key_flags() const;

private:
    // Whether there may be more.
    bool read_on();

    std::string seen_;
    int master_ = -1;
    int slave_ = -1;  // kept open: what was set on the terminal is lost with its last user
    pid_t pid_ = -1;
};

}  // namespace errand::test
