// What is known of the terminal that the program talks to.
#pragma once

#include <cstddef>

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

}  // namespace errand::cli
