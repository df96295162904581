#include "trial/ticks.hpp"

#include "core/task_id.hpp"
#include "trial/recurring.hpp"
#include "trial/store_clock.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <utility>

namespace trial {

using fault_test::entry;

// The store's clock jumps, and workers die between any two steps. So nothing is said of when a tick is fired, or of which ticks
// are found due together. What holds all the same: a tick is not fired before the store's clock has shown it for the first time;
// ticks of a grid are fired in their order, for a clock that was set back only has the next one wait longer; the ticks between
// two runs are those that the second one was told were missed. Ticks that follow the ends of runs have no grid: their runs are
// held to follow each other, each later than the one before it.
namespace {

constexpr std::int64_t rounding = 100;
// Between the clock of a process and what is written down of it.
constexpr std::int64_t blur = 2;
constexpr std::int64_t for_ever = INT64_MAX;

// Of a tick.
struct tick_run {
    std::string id{};
    std::int64_t number = 0;  // of its schedule's
    std::int64_t tick = 0;
    std::int64_t told = 0;     // ticks that were missed before it
    int declared = 0;          // the number of the declaration whose arguments it has
    std::int64_t started = 0;  // when first
    std::size_t place = 0;     // of that line
};

// A call of a producer; one that was not answered may be carried out at any time.
struct asked {
    std::int64_t called = 0;
    std::int64_t answered = for_ever;
};

struct schedule_story {
    std::map<std::string, tick_run> runs{};
    std::map<int, asked> declarations{}, pauses{}, resumptions{};
    bool was_declared = false;
};

bool is_by_hand(const errand::task_id& id) { return id.bytes[6] >> 4 == 7; }

std::string after_colon(const std::string& what) { return what.substr(what.find(':') + 1); }

void read_tick_line(schedule_story& its, const entry& line, std::size_t at) {
    auto& run = its.runs[after_colon(line.what)];
    if (line.what.starts_with("told:")) {
        run.declared = line.attempt;
        run.told = static_cast<std::int64_t>(line.fence);
        return;
    }
    run.number = line.attempt;
    run.tick = static_cast<std::int64_t>(line.fence);
    if (!run.id.empty()) return;
    run.id = after_colon(line.what);
    run.started = line.when;
    run.place = at;
}

std::map<std::string, schedule_story> schedule_stories(const std::vector<entry>& lines) {
    std::map<std::string, schedule_story> all;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const auto& line = lines[at];
        const auto& what = line.what;
        const auto note = [&](auto member, bool answer) {
            auto& one = (all[line.task].*member)[line.attempt];
            (answer ? one.answered : one.called) = line.when;
        };
        if (what.starts_with("tick:") || what.starts_with("told:")) {
            read_tick_line(all[line.task], line, at);
        } else if (what == "declares" || what == "declared") {
            all[line.task].was_declared |= what == "declared";
            note(&schedule_story::declarations, what == "declared");
        } else if (what == "pauses" || what == "paused") {
            note(&schedule_story::pauses, what == "paused");
        } else if (what == "resumes" || what == "resumed") {
            note(&schedule_story::resumptions, what == "resumed");
        }
    }
    return all;
}

// One schedule against its rules.
class schedule_judge {
public:
    schedule_judge(const recurring_kind& kind, const chronicle::schedule& stood, const schedule_story& told,
                   const chronicle& happened, judgement& found)
        : kind_{kind}, stood_{stood}, told_{told}, happened_{happened}, found_{found} {}

    void look_at(const endings& ended,
                 const std::map<std::pair<std::string, std::uint64_t>, std::size_t>& ends) {
        take_runs();
        check_times();
        check_numbers();
        if (kind_.follows_runs())
            check_order();
        else
            check_grid();
        if (kind_.missed == errand::missed_rule::run_all) check_cap();
        if (kind_.never_overlaps()) check_overlaps(ended, ends);
        if (kind_.renewed) check_arguments();
        check_pauses();
        check_goes_on();
        found_.ticks_run += runs_.size();
        found_.ticks_missed += static_cast<std::size_t>(stood_.missed);
        found_.ticks_skipped += static_cast<std::size_t>(stood_.skipped);
    }

private:
    void violate(const char* kind, const std::string& text) {
        found_.violate(kind, std::string{kind_.key} + ": " + text);
    }

    void take_runs() {
        const auto schedule = errand::parse_task_id(stood_.id);
        for (const auto& [id, run] : told_.runs) {
            const auto known = errand::parse_task_id(id);
            if (run.id.empty() || !known || is_by_hand(*known)) continue;
            runs_.push_back(run);
            if (!schedule || *known != errand::derive_run_id(*schedule, run.tick))
                violate("tick_twice",
                        "tick " + std::to_string(run.tick) + " has a run with an id of its own, " + id);
        }
        std::ranges::sort(runs_, {}, &tick_run::number);
    }

    // One that follows another one comes after it also where the clock that its due time is taken from was set back: it is due by
    // now, and its tick is the next instant.
    void check_times() {
        for (std::size_t at = 0; at < runs_.size(); ++at) {
            const auto& run = runs_[at];
            const bool was_due = kind_.follows_runs() && at > 0 && run.tick == runs_[at - 1].tick + 1;
            const auto shown = first_shown(run.tick - blur, happened_);
            if (!was_due && run.started + rounding < shown)
                violate("tick_early", "the run of tick " + std::to_string(run.tick) + " was started at " +
                                          std::to_string(run.started) +
                                          ", and the store's clock has shown it from " +
                                          std::to_string(shown) + " on");
        }
    }

    // Each number is one tick's.
    void check_numbers() {
        std::set<std::int64_t> numbers;
        for (const auto& run : runs_) {
            if (!numbers.insert(run.number).second)
                violate("tick_uncounted", "two ticks are its run " + std::to_string(run.number));
        }
        for (std::int64_t number = 1; number <= stood_.runs_at_end; ++number) {
            if (!numbers.contains(number))
                violate("tick_lost", "nobody has run its run " + std::to_string(number));
        }
    }

    // Also by a clock that was set back, and when the end before it was told by one that is behind.
    void check_order() {
        for (std::size_t at = 1; at < runs_.size(); ++at) {
            if (runs_[at].tick <= runs_[at - 1].tick)
                violate("tick_again", "tick " + std::to_string(runs_[at].tick) + " came after " +
                                          std::to_string(runs_[at - 1].tick));
        }
    }

    std::int64_t first_tick() const {
        if (kind_.line.empty()) return stood_.created + kind_.interval.count();
        return (stood_.created + 999) / 1000 * 1000;
    }

    void check_grid() {
        const auto gap = kind_.interval.count();
        std::int64_t due = first_tick(), told = 0;
        for (const auto& run : runs_) {
            if ((run.tick - due) % gap != 0 || run.tick < due)
                violate("off_its_grid", "tick " + std::to_string(run.tick) + " is none of those from " +
                                            std::to_string(due) + " on");
            const auto between = (run.tick - due) / gap;
            told += run.told;
            if (kind_.accounts_for_all() ? between != run.told : between < run.told)
                violate("tick_uncounted", std::to_string(between) + " ticks before " +
                                              std::to_string(run.tick) + " have no run, and it was told of " +
                                              std::to_string(run.told));
            due = run.tick + gap;
        }
        if (told > stood_.missed && stood_.runs_at_end == stood_.runs)
            violate("tick_uncounted", "more ticks were told to have been missed than were counted");
        if (!stood_.next) return violate("schedule_stopped", "it waits for no tick");
        const auto all = (*stood_.next - first_tick()) / gap;
        const auto counted = stood_.runs + stood_.missed + stood_.skipped;
        // Of these one tick may wait for the end of a run.
        const std::int64_t waiting = kind_.overlap == errand::overlap_rule::queue_one ? 1 : 0;
        if (counted > all || (!kind_.rests_at_times && counted + waiting < all))
            violate("tick_uncounted", "of " + std::to_string(all) + " ticks " + std::to_string(stood_.runs) +
                                          " were fired, " + std::to_string(stood_.missed) + " missed, " +
                                          std::to_string(stood_.skipped) + " skipped");
    }

    // Ticks are missed only when there are more than the cap, and the newest all run.
    void check_cap() {
        std::int64_t run_before = kind_.cap;
        for (const auto& run : runs_) {
            if (run.told > 0 && run_before < kind_.cap)
                violate("cap_not_used", "tick " + std::to_string(run.tick) + " was told of " +
                                            std::to_string(run.told) + " missed ones, after " +
                                            std::to_string(run_before) + " runs");
            run_before = run.told > 0 ? 1 : run_before + 1;
        }
    }

    // As tasks that depend on each other: a run starts after the attempt that ended the one before.
    void check_overlaps(const endings& ended,
                        const std::map<std::pair<std::string, std::uint64_t>, std::size_t>& ends) {
        for (std::size_t at = 1; at < runs_.size(); ++at) {
            const auto& before = runs_[at - 1];
            const auto known = ended.find(before.id);
            if (known == ended.end() || !known->second) continue;
            const auto end = ends.find({before.id, known->second->fence});
            if (end != ends.end() && end->second > runs_[at].place)
                violate("runs_overlap", runs_[at].id + " was started before " + before.id + " had ended");
        }
    }

    // What was declared, and answered, before a tick was due is what its run has, or what was declared since.
    void check_arguments() {
        // By when they were answered: the newest that had been called by then.
        std::map<std::int64_t, std::int64_t> called_by;
        for (const auto& [number, one] : told_.declarations) {
            if (one.answered != for_ever) {
                auto& newest = called_by[one.answered];
                newest = std::max(newest, one.called);
            }
        }
        std::int64_t newest = 0;
        for (auto& [answered, called] : called_by) called = newest = std::max(newest, called);
        for (const auto& run : runs_) {
            const auto its = told_.declarations.find(run.declared);
            if (its == told_.declarations.end()) {
                violate("arguments_lost", "nobody has declared what run " + run.id + " was given");
                continue;
            }
            const auto due = std::min(first_shown(run.tick, happened_), run.started);
            const auto later = called_by.lower_bound(due - rounding);
            if (later != called_by.begin() && std::prev(later)->second > its->second.answered)
                violate("arguments_lost", "the run of tick " + std::to_string(run.tick) +
                                              " has arguments that had been replaced before it was due");
        }
    }

    // No tick that was due after a pause is run before anybody asks to go on.
    void check_pauses() {
        for (const auto& [number, pause] : told_.pauses) {
            if (pause.answered == for_ever) continue;
            auto until = for_ever;
            for (const auto& [its, resumed] : told_.resumptions) {
                if (resumed.answered >= pause.called) until = std::min(until, resumed.called);
            }
            for (const auto& run : runs_) {
                if (run.started < until && first_shown(run.tick, happened_) > pause.answered + rounding)
                    violate("not_paused",
                            "the run of tick " + std::to_string(run.tick) + " was started in a pause");
            }
        }
    }

    void check_goes_on() {
        if (stood_.stopped) return violate("schedule_stopped", "nothing comes of it any more");
        if (stood_.late) violate("schedule_stopped", "it went on only when it was looked at");
    }

    const recurring_kind& kind_;
    const chronicle::schedule& stood_;
    const schedule_story& told_;
    const chronicle& happened_;
    judgement& found_;
    std::vector<tick_run> runs_{};
};

}  // namespace

void check_schedules(const std::vector<entry>& lines, const endings& ended, const chronicle& happened,
                     judgement& found) {
    const auto told = schedule_stories(lines);
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> ends;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        if (lines[at].what == "ended") ends.emplace(std::pair{lines[at].task, lines[at].fence}, at);
    }
    for (const auto& kind : recurring_kinds) {
        const auto its = told.find(std::string{kind.key});
        if (its == told.end() || !its->second.was_declared) continue;
        const auto stood = std::ranges::find(happened.schedules, kind.key, &chronicle::schedule::key);
        if (stood == happened.schedules.end()) {
            found.violate("schedule_lost",
                          std::string{kind.key} + " was declared, and the store does not know it");
            continue;
        }
        schedule_judge{kind, *stood, its->second, happened, found}.look_at(ended, ends);
    }
}

}  // namespace trial
