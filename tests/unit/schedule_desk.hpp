// A schedule that does what the rules say, for the tests of those: hourly, declared at noon.
#pragma once

#include "core/schedule_rules.hpp"

#include <string>
#include <utility>
#include <vector>

namespace errand::schedule_test {

using namespace std::chrono_literals;

inline constexpr time_point noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + 12h};
inline const last_run_seen nothing_seen{};
inline const last_run_seen still_open{.how = run_standing::open};
inline const zone_source utc_alone = [](std::string_view) { return time_zone::utc(); };

inline last_run_seen ended_at(time_point at) { return {.how = run_standing::ended, .finished_at = at}; }

inline schedule_record hourly(schedule_mode mode = fixed_rate) {
    schedule_record declared;
    declared.identity = "report";
    declared.key = "k";
    declared.timing = {.interval = 1h, .mode = mode};
    declared.run.queue = "default";
    declared.run.handler = "report";
    declared.run.args = "[1]";
    return declared;
}

inline schedule_record at_cron(std::string line) {
    auto declared = hourly();
    declared.timing = {.cron = std::move(line), .timezone = "UTC"};
    return declared;
}

// A schedule that does what the rules say, declared at noon.
struct schedule_desk {
    explicit schedule_desk(schedule_record declared, bool paused = false) {
        if (paused) declared.state = schedule_state::paused;
        take(errand::declare(std::nullopt, std::move(declared), noon, nothing_seen, utc_alone));
    }

    schedule_move take(schedule_move move) {
        kept = move.record;
        return move;
    }
    schedule_move declare(schedule_record declared, time_point now,
                          const last_run_seen& last = nothing_seen) {
        return take(errand::declare(kept, std::move(declared), now, last, utc_alone));
    }
    schedule_move look(time_point now, const last_run_seen& last = nothing_seen) {
        return take(errand::look(kept, now, last, utc_alone));
    }
    schedule_move hear(state ended_as, time_point at, schedule_wish wish = {}) {
        return take(hear_end(
            kept, {.id = kept.last_run, .ended_as = ended_as, .finished_at = at, .wish = std::move(wish)}, at,
            utc_alone));
    }
    schedule_move hear_wish(schedule_wish wish, time_point at) {
        return hear(state::success, at, std::move(wish));
    }
    schedule_move resume(time_point now) { return take(errand::resume(kept, now, utc_alone)); }

    schedule_record kept;
};

inline std::vector<time_point> ticks_of(const schedule_move& move) {
    std::vector<time_point> found;
    for (const auto& made : move.runs) found.push_back(made.body.origin->tick);
    return found;
}

using ticks = std::vector<time_point>;

}  // namespace errand::schedule_test
