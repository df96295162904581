// Handlers: which there are, what is in force of them, and what an operator sets of one at run time.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/settings_text.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace errand::cli {
namespace {

struct configure_line {
    std::string handler;
    std::vector<std::string> words;
    std::string by;
    bool clear = false;
};

exit_code show_handlers(session& on, bool names) {
    const auto all = on.run(on.inspect().handlers());
    if (on.json()) {
        boost::json::array documents;
        for (const auto& one : all) documents.push_back(json_of(one));
        print_document(boost::json::object{{"handlers", std::move(documents)}});
    } else if (names) {
        for (const auto& one : all) print(plain(one.name) + '\n');
    } else if (all.empty()) {
        print("no worker is alive, and nothing is set of any handler\n");
    } else {
        print(handler_table(all, clock_now()).text(line_width()));
    }
    return on.seen();
}

// Others may change other keys at the same time: they keep what they have set.
settings_info change_settings(session& on, const configure_line& given,
                              const std::vector<settings_change>& changes) {
    for (int tries = 1;; ++tries) {
        const auto seen = on.run(on.app().settings_of(given.handler));
        auto values = given.clear ? handler_settings{} : seen.settings;
        for (const auto& one : changes) apply(values, one);
        try {
            return on.run(on.app().configure(given.handler, std::move(values),
                                             {.version = seen.version, .by = given.by}));
        } catch (const settings_conflict&) {
            if (tries == 10) throw;
        }
    }
}

exit_code configure_handler(session& on, const configure_line& given) {
    std::vector<settings_change> changes;
    for (const auto& word : given.words) changes.push_back(need_settings_change(word));
    for (const auto& one : changes) {
        // What cannot be read is refused before anything is asked.
        handler_settings none;
        apply(none, one);
    }
    const bool looks = changes.empty() && !given.clear;
    const auto now =
        looks ? on.run(on.app().settings_of(given.handler)) : change_settings(on, given, changes);
    if (on.json()) {
        auto document = json_of(now);
        document["handler"] = now.handler;
        print_document(document);
        return exit_code::done;
    }
    const auto line = settings_line(now.settings);
    print(plain(now.handler + ": " + (line.empty() ? "nothing is set" : line)) + '\n');
    return exit_code::done;
}

}  // namespace

runner prepare_handlers(CLI::App& line) {
    const auto names = std::make_shared<bool>(false);
    line.add_flag("--names", *names, "Only their names, one a line");
    return [names](session& on) { return show_handlers(on, *names); };
}

runner prepare_configure(CLI::App& line) {
    const auto given = std::make_shared<configure_line>();
    line.add_option("handler", given->handler, "Its wire name")->required()->type_name("HANDLER");
    line.add_option(
            "settings", given->words,
            "max_retry=3, timeout=5m, backoff=exponential:10s:1h, priority=9, retention=7d, "
            "expires_after=1h, max_running=5, rate=10/s, batch=50, interval=1s, paused=true; key= takes one back")
        ->type_name("KEY=VALUE");
    line.add_flag("--clear", given->clear, "Takes back all that is set before");
    line.add_option("--by", given->by, "Who sets it (host and process)")->type_name("NAME");
    return [given](session& on) { return configure_handler(on, *given); };
}

}  // namespace errand::cli
