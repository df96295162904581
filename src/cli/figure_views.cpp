#include "cli/figure_views.hpp"

#include "cli/text.hpp"
#include "cli/views.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace errand::cli {
namespace {

std::string tenths(double value, const char* unit) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), value < 10 ? "%.1f%s" : "%.0f%s", value, unit);
    return text.data();
}

std::string backlog_cell(const handler_figures& of, bool estimated) {
    return (estimated && of.backlog > 0 ? "~" : "") + std::to_string(of.backlog);
}

std::string time_cell(const time_figures& of, std::chrono::microseconds value) {
    return of.count == 0 ? std::string{} : fine_length_text(value);
}

}  // namespace

std::string fine_length_text(std::chrono::microseconds length) {
    const auto us = static_cast<double>(length.count());
    if (us < 1e3) return std::to_string(length.count()) + "us";
    if (us < 1e6) return tenths(us / 1e3, "ms");
    if (us < 60e6) return tenths(us / 1e6, "s");
    return length_text(std::chrono::round<std::chrono::seconds>(length));
}

table figure_table(const figures_info& seen, std::size_t most) {
    table out{{{.title = "handler", .least = 8},
               {.title = "queued", .right = true},
               {.title = "oldest", .right = true, .drop = 3},
               {.title = "runs", .right = true},
               {.title = "failed", .right = true},
               {.title = "dead", .right = true, .drop = 2},
               {.title = "wait 50%", .right = true},
               {.title = "99%", .right = true},
               {.title = "run 50%", .right = true},
               {.title = "90%", .right = true, .drop = 1},
               {.title = "99%", .right = true}}};
    auto busiest = seen.handlers;
    const auto load = [](const handler_figures& one) { return std::max(one.runs, one.backlog); };
    std::ranges::stable_sort(busiest, std::ranges::greater{}, load);
    if (busiest.size() > most) busiest.resize(most);
    for (const auto& one : busiest) {
        out.add({one.handler, backlog_cell(one, seen.estimated), one.oldest ? length_text(*one.oldest) : "",
                 std::to_string(one.runs), std::to_string(one.failures), std::to_string(one.dead),
                 time_cell(one.wait, one.wait.p50), time_cell(one.wait, one.wait.p99),
                 time_cell(one.run, one.run.p50), time_cell(one.run, one.run.p90),
                 time_cell(one.run, one.run.p99)});
    }
    return out;
}

std::string figure_summary(const figures_info& seen) {
    auto text = std::to_string(seen.all.runs) + (seen.all.runs == 1 ? " run" : " runs") + " in " +
                length_text(std::chrono::floor<std::chrono::minutes>(seen.over)) + "; " +
                std::to_string(seen.backlog) + (seen.backlog == 1 ? " task is queued" : " tasks are queued");
    if (seen.oldest) text += ", the oldest since " + length_text(*seen.oldest);
    return text;
}

}  // namespace errand::cli
