#include "cli/screen.hpp"

#include "cli/output.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace errand::cli {
namespace {

volatile std::sig_atomic_t end_asked = 0;

void note_end(int) { end_asked = 1; }
void note_size(int) {}

void on_signal(int number, void (*then)(int)) {
    struct sigaction what{};
    what.sa_handler = then;
    sigaction(number, &what, nullptr);
}

}  // namespace

bool screen::possible() noexcept { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

screen::screen() {
    end_asked = 0;
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int one : {SIGINT, SIGTERM, SIGWINCH}) sigaddset(&blocked, one);
    pthread_sigmask(SIG_BLOCK, &blocked, &signals_before_);
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
    pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
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
    const auto seconds = std::chrono::floor<std::chrono::seconds>(longest);
    const timespec time{.tv_sec = static_cast<time_t>(seconds.count()),
                        .tv_nsec = static_cast<long>((longest - seconds).count()) * 1'000'000};
    pollfd keys{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ppoll(&keys, 1, &time, &signals_before_);
    if (end_asked != 0) return event::interrupted;
    if (ready <= 0) return event::redraw;
    char key = 0;
    // A terminal that has gone away gives no more keys.
    if (::read(STDIN_FILENO, &key, 1) <= 0) return event::quit;
    return key == 'q' || key == 'Q' ? event::quit : event::redraw;
}

}  // namespace errand::cli
