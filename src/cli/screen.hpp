// The terminal as a live view: the alternate screen, keys without Enter, no cursor. However the program leaves it, also
// through SIGINT or SIGTERM, the terminal is as it was.
//
// A signal may come to any thread, at any time: its handler writes to a pipe, which wait() watches beside the keys.
#pragma once

#include <errand/time.hpp>

#include <string>
#include <termios.h>

namespace errand::cli {

class screen {
public:
    enum class event : unsigned char {
        redraw,       // the time is over, or the window has another size
        quit,         // q
        interrupted,  // SIGINT or SIGTERM
    };

    // Whether standard input and output are a terminal.
    static bool possible() noexcept;

    screen();
    ~screen();
    screen(const screen&) = delete;
    screen& operator=(const screen&) = delete;

    // Shows these lines and nothing else; there are no more of them than fit.
    void draw(const std::string& lines);
    event wait(duration longest);

private:
    termios keys_before_{};
};

}  // namespace errand::cli
