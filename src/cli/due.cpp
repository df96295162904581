#include "cli/due.hpp"

#include <errand/error.hpp>

#include "cli/output.hpp"
#include "cli/text.hpp"

#include <CLI/CLI.hpp>

namespace errand::cli {

void declare_due(CLI::App& line, due_options& values) {
    line.add_option("--in", values.in, "Due so long from now, such as 5m")->type_name("TIME");
    line.add_option("--at", values.at, "Due then, such as 2026-12-01T08:00:00Z")->type_name("INSTANT");
    line.add_flag("--now", values.now, "Due at once");
}

std::optional<time_point> due_of(const due_options& values) {
    const int given = (values.in.empty() ? 0 : 1) + (values.at.empty() ? 0 : 1) + (values.now ? 1 : 0);
    if (given == 0) return std::nullopt;
    if (given > 1) throw usage_error{"say when once: --in 5m, --at 2026-12-01T08:00:00Z or --now"};
    if (values.now) return time_point{};
    return values.in.empty() ? need_instant("--at", values.at) : clock_now() + need_length("--in", values.in);
}

}  // namespace errand::cli
