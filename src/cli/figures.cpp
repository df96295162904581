// What happened lately, of each handler.
#include "cli/commands.hpp"
#include "cli/figure_views.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

#include <CLI/CLI.hpp>

#include <limits>

namespace errand::cli {
namespace {

exit_code show_figures(session& on) {
    const auto seen = on.run(on.inspect().figures());
    if (on.json()) {
        print_document(json_of(seen));
        return on.seen();
    }
    print(figure_summary(seen) + '\n');
    if (!seen.handlers.empty())
        print(figure_table(seen, std::numeric_limits<std::size_t>::max()).text(line_width()));
    return on.seen();
}

}  // namespace

runner prepare_figures(CLI::App&) {
    return [](session& on) { return show_figures(on); };
}

}  // namespace errand::cli
