// Queues and what runs, drawn anew until the user has seen enough.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/figure_views.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <system_error>
#include <termios.h>
#include <unistd.h>

namespace errand::cli {
namespace {

// The terminal as a live view: the alternate screen, keys without Enter, no cursor. However the program leaves it, also
// through SIGINT or SIGTERM, the terminal is as it was.
//
// A signal may come to any thread, at any time: its handler writes to a pipe, which wait() watches beside the keys.
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

struct top_options {
    std::string every = "2s";
    bool once = false;
};

// They change by the minute, and tasks are looked at for them.
constexpr auto figures_hold = std::chrono::seconds{10};

struct seen_figures {
    figures_info figures{};
    std::optional<std::chrono::steady_clock::time_point> at{};
};

const figures_info& figures_at(session& on, seen_figures& before) {
    const auto now = std::chrono::steady_clock::now();
    if (!before.at || now - *before.at >= figures_hold) {
        before.figures = on.run(on.inspect().figures());
        before.at = std::chrono::steady_clock::now();
    }
    return before.figures;
}

top_view look(session& on, seen_figures& before) {
    return {.name_space = on.app().settings().name_space,
            .queues = on.run(on.inspect().queues()),
            .workers = on.run(on.inspect().workers()),
            .now = clock_now(),
            .away = on.run(on.inspect().away()),
            .figures = figures_at(on, before)};
}

// What is lost for a while comes back: the view says so and goes on.
std::string frame_or_trouble(session& on, seen_figures& before, screen_size size) {
    try {
        return frame_text(look(on, before), size);
    } catch (const store_error& why) {
        return cut(plain(why.what()), size.width) + '\n';
    }
}

exit_code show_live(session& on, duration every) {
    // Whoever cannot be reached at the beginning is probably named wrongly.
    seen_figures before;
    auto frame = frame_text(look(on, before), window());
    screen live;
    for (;;) {
        live.draw(frame);
        switch (live.wait(every)) {
        case screen::event::quit: return exit_code::done;
        case screen::event::interrupted: return exit_code::interrupted;
        case screen::event::redraw: break;
        }
        frame = frame_or_trouble(on, before, window());
    }
}

exit_code show_once(session& on) {
    seen_figures before;
    const auto view = look(on, before);
    if (!on.json()) {
        print(frame_text(view, {.width = line_width(), .height = 0}));
        return exit_code::done;
    }
    print_document(boost::json::object{{"at", instant_text(view.now)},
                                       {"queues", json_list(view.queues)},
                                       {"workers", json_list(view.workers, view.now)},
                                       {"figures", json_of(view.figures)}});
    return on.seen();
}

}  // namespace

runner prepare_top(CLI::App& line) {
    const auto how = std::make_shared<top_options>();
    line.add_option("--every", how->every, "Looks again so often (2s)")->type_name("TIME");
    line.add_flag("--once", how->once, "Prints one picture and ends; --json does so too");
    return [how](session& on) {
        const auto every = need_length("--every", how->every);
        if (every < std::chrono::milliseconds{100}) throw usage_error{"--every: 100ms at least"};
        if (how->once || on.json()) return show_once(on);
        if (!screen::possible()) throw usage_error{"errand top needs a terminal; elsewhere use --once"};
        return show_live(on, every);
    };
}

}  // namespace errand::cli
