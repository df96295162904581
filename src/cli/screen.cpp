#include "cli/screen.hpp"

#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace errand::cli {
namespace {

std::atomic<bool> end_asked{false};
std::array<int, 2> bell{-1, -1};  // read end, write end

void ring() {
    const int before = errno;
    const char any = 0;
    // A full pipe wakes as well.
    [[maybe_unused]] const auto written = ::write(bell[1], &any, 1);
    errno = before;
}

void note_end(int) {
    end_asked = true;
    ring();
}
void note_size(int) { ring(); }

void on_signal(int number, void (*then)(int)) {
    struct sigaction what{};
    what.sa_handler = then;
    sigaction(number, &what, nullptr);
}

}  // namespace

bool screen::possible() noexcept { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

screen::screen() {
    end_asked = false;
    if (::pipe2(bell.data(), O_NONBLOCK | O_CLOEXEC) != 0) {
        throw std::system_error{errno, std::generic_category(), "no pipe for signals"};
    }
    on_signal(SIGINT, note_end);
    on_signal(SIGTERM, note_end);
    on_signal(SIGWINCH, note_size);
    tcgetattr(STDIN_FILENO, &keys_before_);
    auto keys = keys_before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    print("\x1b[?1049h\x1b[?25l");
}

screen::~screen() {
    print("\x1b[?25h\x1b[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &keys_before_);
    for (const int one : {SIGINT, SIGTERM, SIGWINCH}) on_signal(one, SIG_DFL);
    for (const int end : bell) ::close(end);
}

void screen::draw(const std::string& lines) {
    // Overwritten line by line, which does not flicker as clearing everything first would.
    std::string out = "\x1b[H";
    const bool ends = lines.ends_with('\n');
    for (std::size_t at = 0; at + (ends ? 1U : 0U) < lines.size(); ++at) {
        if (lines[at] == '\n') out += "\x1b[K\r";
        out += lines[at];
    }
    print(out + "\x1b[K\x1b[J");
}

screen::event screen::wait(duration longest) {
    std::array<pollfd, 2> ends{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                {.fd = bell[0], .events = POLLIN, .revents = 0}}};
    const auto most = std::min<duration>(longest, std::chrono::hours{24});
    const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(most.count()));
    std::array<char, 64> rung{};
    while (::read(bell[0], rung.data(), rung.size()) > 0) continue;
    if (end_asked) return event::interrupted;
    if (ready <= 0 || ends[0].revents == 0) return event::redraw;
    char key = 0;
    // A terminal that has gone away gives no more keys.
    if (::read(STDIN_FILENO, &key, 1) <= 0) return event::quit;
    return key == 'q' || key == 'Q' ? event::quit : event::redraw;
}

}  // namespace errand::cli
