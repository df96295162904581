#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/screen.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/top_frame.hpp"

#include <boost/json/array.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct top_options {
    std::string every = "2s";
    bool once = false;
};

top_view look(session& on) {
    return {.name_space = on.app().settings().name_space,
            .queues = on.run(on.inspect().queues()),
            .workers = on.run(on.inspect().workers()),
            .now = clock_now()};
}

// What is lost for a while comes back: the view says so and goes on.
std::string frame_or_trouble(session& on, screen_size size) {
    try {
        return frame_text(look(on), size);
    } catch (const store_error& why) {
        return cut(plain(why.what()), size.width) + '\n';
    }
}

exit_code show_live(session& on, duration every) {
    // Whoever cannot be reached at the beginning is probably named wrongly.
    auto frame = frame_text(look(on), window());
    screen live;
    for (;;) {
        live.draw(frame);
        switch (live.wait(every)) {
        case screen::event::quit: return exit_code::done;
        case screen::event::interrupted: return exit_code::interrupted;
        case screen::event::redraw: break;
        }
        frame = frame_or_trouble(on, window());
    }
}

exit_code show_once(session& on) {
    const auto view = look(on);
    if (!on.json()) {
        print(frame_text(view, {.width = line_width(), .height = 0}));
        return exit_code::done;
    }
    boost::json::array queues;
    for (const auto& one : view.queues) queues.push_back(json_of(one));
    boost::json::array workers;
    for (const auto& one : view.workers) workers.push_back(json_of(one, view.now));
    print_document(boost::json::object{
        {"at", instant_text(view.now)}, {"queues", std::move(queues)}, {"workers", std::move(workers)}});
    return exit_code::done;
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
