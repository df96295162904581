#include "cli/progress.hpp"

#include "cli/terminal.hpp"

#include <algorithm>
#include <cstdio>

namespace errand::cli {

std::string bar_text(std::size_t done, std::size_t total, const std::string& words) {
    if (total == 0) return words;
    constexpr std::size_t length = 20;
    // What is looked at may grow meanwhile.
    const auto part = std::min(done, total);
    const auto full = part * length / total;
    const auto percent = std::to_string(part * 100 / total);
    return '[' + std::string(full, '#') + std::string(length - full, '-') + "] " +
           std::string(3 - percent.size(), ' ') + percent + "%  " + words;
}

progress_bar::progress_bar(std::size_t total) : total_{total}, shown_{errors_are_terminal()} {}

progress_bar::~progress_bar() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void progress_bar::show(std::size_t done, const std::string& words) {
    if (!shown_) return;
    drawn_ = true;
    std::fprintf(stderr, "\r%s\x1b[K", bar_text(done, total_, words).c_str());
}

}  // namespace errand::cli
