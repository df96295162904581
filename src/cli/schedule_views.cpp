#include "cli/schedule_views.hpp"

#include "cli/text.hpp"
#include "cli/views.hpp"
#include "core/sealing.hpp"

#include <boost/json/serialize.hpp>

namespace errand::cli {
namespace {

std::string told(const std::optional<time_point>& at, time_point now) {
    return at ? from_now(*at, now) : std::string{};
}

std::string next_text(const schedule_info& one, time_point now) {
    if (one.state != schedule_state::active) return {};
    if (!one.next_at) return "after the run";
    return *one.next_at <= now ? "due" : from_now(*one.next_at, now);
}

std::string zone_of(const schedule_info& one) { return one.timezone == "UTC" ? std::string{} : one.timezone; }

class schedule_lines {
public:
    void add(std::string_view name, const std::string& value) {
        if (value.empty()) return;
        text_ += std::string{name} + std::string(13 - name.size(), ' ') + plain(value) + '\n';
    }
    void add(std::string_view name, const std::optional<time_point>& at) {
        if (at) add(name, instant_text(*at));
    }
    void add(std::string_view name, std::int64_t count) { add(name, std::to_string(count)); }
    std::string text() { return std::move(text_); }

private:
    std::string text_;
};

}  // namespace

table schedule_table(const std::vector<schedule_info>& schedules, time_point now) {
    table out{{{.title = "id"},
               {.title = "handler", .least = 8, .drop = 1},
               {.title = "key", .least = 6},
               {.title = "timing", .least = 8, .drop = 2},
               {.title = "zone", .least = 6, .drop = 5},
               {.title = "state"},
               {.title = "next"},
               {.title = "last tick", .drop = 3},
               {.title = "runs", .right = true, .drop = 4},
               {.title = "skipped", .right = true, .drop = 7},
               {.title = "missed", .right = true, .drop = 6}}};
    for (const auto& one : schedules) {
        out.add({one.id, one.handler, one.key, one.timing, zone_of(one), std::string{to_string(one.state)},
                 next_text(one, now), told(one.last_tick, now), std::to_string(one.runs),
                 std::to_string(one.skipped), std::to_string(one.missed)});
    }
    return out;
}

std::string schedule_text(const schedule_info& one, const std::vector<time_point>& upcoming, time_point now) {
    schedule_lines lines;
    lines.add("id", one.id);
    lines.add("handler", one.handler);
    lines.add("key", one.key);
    lines.add("timing", one.timing);
    lines.add("zone", one.timezone);
    lines.add("state", std::string{to_string(one.state)});
    lines.add("next", next_text(one, now));
    lines.add("queue", one.queue);
    lines.add("begin", one.begin);
    lines.add("end", one.end);
    lines.add("runs", std::to_string(one.runs) +
                          (one.max_runs ? " of " + std::to_string(*one.max_runs) : std::string{}));
    lines.add("skipped", one.skipped);
    lines.add("missed", one.missed);
    lines.add("last tick", one.last_tick);
    lines.add("last run", one.last_run);
    lines.add("declared", instant_text(one.created_at));
    const auto args = boost::json::serialize(one.args);
    lines.add("arguments", read_sealed(args) ? "(encrypted)" : args);
    auto text = lines.text();
    if (!upcoming.empty()) text += "\nnext ticks\n";
    for (const auto at : upcoming) text += "  " + instant_text(at) + "  " + from_now(at, now) + '\n';
    return text;
}

}  // namespace errand::cli
