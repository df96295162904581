// The terminal that the program talks to: its size, a bar for what takes long, and Ctrl-C.
#pragma once

#include <cstddef>
#include <string>

namespace errand::cli {

struct screen_size {
    std::size_t width = 80;
    std::size_t height = 24;
};

// How wide a line of standard output may be: COLUMNS when it is set; 0, no limit, when that is no terminal.
std::size_t line_width();

// Of the window; COLUMNS and LINES go before what the terminal says.
screen_size window();

bool input_is_terminal() noexcept;
bool errors_are_terminal() noexcept;

// "[#####---------------]  25%  revived 1200"; without a total only the words.
std::string bar_text(std::size_t done, std::size_t total, const std::string& words);

// How far a long command is, on the error stream, when that is a terminal.
class progress_bar {
public:
    // @param total what 100 % is; 0: not known
    explicit progress_bar(std::size_t total);
    ~progress_bar();
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    void show(std::size_t done, const std::string& words);

private:
    std::size_t total_;
    bool shown_;
    bool drawn_ = false;
};

// What is called when this signal comes, on any thread, at any time; SIG_DFL: what the system does.
void on_signal(int number, void (*then)(int), int flags = 0);

// Ctrl-C in the middle of many steps: the first one asks the command to stop after the step, the second one ends it.
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
