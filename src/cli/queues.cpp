#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <boost/json/array.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

exit_code show_queues(session& on, bool names) {
    const auto queues = on.run(on.inspect().queues());
    if (on.json()) {
        boost::json::array all;
        for (const auto& one : queues) all.push_back(json_of(one));
        print_document(boost::json::object{{"queues", std::move(all)}});
    } else if (names) {
        for (const auto& one : queues) print(plain(one.name) + '\n');
    } else if (queues.empty()) {
        print("no queue has had a task yet\n");
    } else {
        print(queue_table(queues, clock_now()).text(line_width()));
    }
    return exit_code::done;
}

}  // namespace

runner prepare_queues(CLI::App& line) {
    const auto names = std::make_shared<bool>(false);
    line.add_flag("--names", *names, "Only their names, one a line");
    return [names](session& on) { return show_queues(on, *names); };
}

}  // namespace errand::cli
