// errand shelf: what waits in a database for the days on which it falls due.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "core/iso_time.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace errand::cli {
namespace {

std::string day_text(time_point day) {
    return iso_time_text(day).substr(0, std::string_view{"2026-11-27"}.size());
}

void print_as_json(const shelf_info& seen) {
    boost::json::array days;
    for (const auto& [day, count] : seen.days)
        days.emplace_back(boost::json::object{{"day", day_text(day)}, {"tasks", count}});
    print_document(boost::json::object{{"database", seen.database},
                                       {"tasks", seen.tasks},
                                       {"next_due", seen.next_due
                                                        ? boost::json::value{iso_time_text(*seen.next_due)}
                                                        : boost::json::value{}},
                                       {"days", std::move(days)}});
}

exit_code show_shelf(session& on) {
    const auto seen = on.run(on.inspect().shelf());
    if (!seen)
        throw usage_error{
            "no shelf is named: set ERRAND_SHELF, or \"shelf\" in the file that ERRAND_CONFIG names"};
    if (on.json()) {
        print_as_json(*seen);
    } else if (seen->tasks == 0) {
        print("nothing waits on the shelf " + seen->database + "\n");
    } else {
        table all{{{.title = "day", .least = 10}, {.title = "tasks", .right = true}}};
        for (const auto& [day, count] : seen->days) all.add({day_text(day), std::to_string(count)});
        print(all.text(line_width()));
    }
    return exit_code::done;
}

}  // namespace

runner prepare_shelf(CLI::App&) { return show_shelf; }

}  // namespace errand::cli
