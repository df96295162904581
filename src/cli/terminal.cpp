#include "cli/terminal.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

namespace errand::cli {
namespace {

std::optional<std::size_t> number_in(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    std::size_t value = 0;
    const char* end = text + std::strlen(text);
    const auto [at, ec] = std::from_chars(text, end, value);
    if (ec != std::errc{} || at != end || value == 0) return std::nullopt;
    return value;
}

std::optional<screen_size> asked(int file) {
    winsize size{};
    if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return std::nullopt;
    return screen_size{size.ws_col, size.ws_row};
}

}  // namespace

std::size_t line_width() {
    if (const auto given = number_in("COLUMNS")) return *given;
    if (::isatty(STDOUT_FILENO) == 0) return 0;
    return asked(STDOUT_FILENO).value_or(screen_size{}).width;
}

screen_size window() {
    auto size = asked(STDOUT_FILENO).value_or(screen_size{});
    size.width = number_in("COLUMNS").value_or(size.width);
    size.height = number_in("LINES").value_or(size.height);
    return size;
}

bool input_is_terminal() noexcept { return ::isatty(STDIN_FILENO) != 0; }
bool errors_are_terminal() noexcept { return ::isatty(STDERR_FILENO) != 0; }

}  // namespace errand::cli
