// What is shown of a schedule.
#include "core/schedule_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace errand {

std::vector<time_point> upcoming(const schedule_record& record, std::size_t most, const zone_source& zones) {
    std::vector<time_point> ticks;
    if (record.state != schedule_state::active) return ticks;
    if (record.terms.max_runs)
        most = std::min(
            most, static_cast<std::size_t>(std::max<std::int64_t>(*record.terms.max_runs - record.runs, 0)));
    const auto plan = plan_of(record, zones);
    for (auto tick = record.next; tick && ticks.size() < most; tick = plan.next(*tick))
        ticks.push_back(*tick);
    return ticks;
}

std::string timing_text(const schedule_timing& timing) {
    if (!timing.cron.empty()) return timing.cron;
    constexpr std::array<std::pair<duration::rep, std::string_view>, 5> units{
        {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "min"}, {1'000, "s"}, {1, "ms"}}};
    const auto length = timing.interval.count();
    const auto unit =
        std::ranges::find_if(units, [length](const auto& one) { return length % one.first == 0; });
    const auto text = std::to_string(length / unit->first).append(unit->second);
    switch (timing.mode) {
    case schedule_mode::once: return "once after " + text;
    case schedule_mode::fixed_rate: return "every " + text;
    case schedule_mode::blocking_interval: break;
    }
    return "every " + text + " after each run";
}

std::string_view to_string(schedule_state value) noexcept {
    switch (value) {
    case schedule_state::active: return "active";
    case schedule_state::paused: return "paused";
    case schedule_state::finished: return "finished";
    case schedule_state::cancelled: break;
    }
    return "cancelled";
}

}  // namespace errand
