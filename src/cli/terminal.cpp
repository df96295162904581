#include "cli/terminal.hpp"

#include "core/whole_number.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

namespace errand::cli {
namespace {

std::optional<std::size_t> length_in(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    const auto value = whole_number<std::size_t>(text);
    return value && *value > 0 ? value : std::nullopt;
}

std::optional<screen_size> size_of(int file) {
    winsize size{};
    if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return std::nullopt;
    return screen_size{size.ws_col, size.ws_row};
}

// A signal may come to any thread.
std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void note_stop(int) { stop_asked = true; }

}  // namespace

std::size_t line_width() {
    if (const auto given = length_in("COLUMNS")) return *given;
    if (::isatty(STDOUT_FILENO) == 0) return 0;
    return size_of(STDOUT_FILENO).value_or(screen_size{}).width;
}

screen_size window() {
    auto size = size_of(STDOUT_FILENO).value_or(screen_size{});
    size.width = length_in("COLUMNS").value_or(size.width);
    size.height = length_in("LINES").value_or(size.height);
    return size;
}

bool input_is_terminal() noexcept { return ::isatty(STDIN_FILENO) != 0; }
bool errors_are_terminal() noexcept { return ::isatty(STDERR_FILENO) != 0; }

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

void on_signal(int number, void (*then)(int), int flags) {
    struct sigaction what{};
    what.sa_handler = then;
    what.sa_flags = flags;
    sigaction(number, &what, nullptr);
}

interruptible::interruptible() {
    stop_asked = false;
    for (const int one : {SIGINT, SIGTERM}) on_signal(one, note_stop, static_cast<int>(SA_RESETHAND));
}

interruptible::~interruptible() {
    for (const int one : {SIGINT, SIGTERM}) on_signal(one, SIG_DFL);
}

bool interruptible::asked() const noexcept { return stop_asked; }

}  // namespace errand::cli
