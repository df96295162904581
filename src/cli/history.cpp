#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"

#include <boost/json/array.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

table day_table(const std::vector<day_info>& days) {
    table out{{{.title = "day"},
               {.title = "queue", .least = 8},
               {.title = "success", .right = true},
               {.title = "dead", .right = true},
               {.title = "cancelled", .right = true, .drop = 2},
               {.title = "expired", .right = true, .drop = 3},
               {.title = "failed attempts", .right = true, .drop = 1}}};
    for (const auto& one : days) {
        out.add({one.day, one.queue, std::to_string(one.success), std::to_string(one.dead),
                 std::to_string(one.cancelled), std::to_string(one.expired), std::to_string(one.failed)});
    }
    return out;
}

exit_code show_history(session& on, int days) {
    const auto happened = on.run(on.inspect().history(days));
    if (on.json()) {
        boost::json::array all;
        for (const auto& one : happened) all.push_back(json_of(one));
        print_document(boost::json::object{{"days", std::move(all)}});
    } else if (happened.empty()) {
        print("nothing ended or failed on these days\n");
    } else {
        print(day_table(happened).text(line_width()));
    }
    return exit_code::done;
}

}  // namespace

runner prepare_history(CLI::App& line) {
    const auto days = std::make_shared<int>(10);
    line.add_option("--days", *days, "So many days, today included (10; at most 400)")->type_name("N");
    return [days](session& on) { return show_history(on, *days); };
}

}  // namespace errand::cli
