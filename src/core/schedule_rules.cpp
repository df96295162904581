#include "core/schedule_rules.hpp"

#include <errand/error.hpp>

#include "core/due_ticks.hpp"
#include "core/iso_time.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

constexpr duration kept_after_its_end = std::chrono::days{30};
// Who waits for the end of a run is looked at now and then: should nobody tell of it.
constexpr duration checked_every = std::chrono::minutes{5};
constexpr duration one_instant{1};

bool has_ended(schedule_state state) {
    return state == schedule_state::finished || state == schedule_state::cancelled;
}

void finish(schedule_record& record, time_point now) {
    record.state = schedule_state::finished;
    record.ended = now;
    record.next.reset();
    record.queued.reset();
}

bool runs_are_used_up(const schedule_record& record) {
    return record.terms.max_runs && record.runs >= *record.terms.max_runs;
}

// All but its number and what it is told of ticks that were missed.
planned_run run_for(const schedule_record& record, const task_id& id, time_point tick) {
    planned_run run{.id = id, .body = record.run, .starts_at = std::nullopt};
    const auto schedule = id_of(record);
    const bool follows = record.timing.cron.empty() && record.timing.mode == blocking_interval;
    run.body.origin = run_origin{.schedule = schedule,
                                 .key = record.key,
                                 .tick = tick,
                                 .tells_end = follows || record.terms.overlap == overlap_rule::queue_one};
    run.body.headers["errand-schedule"] = to_text(schedule);
    run.body.headers["errand-tick"] = iso_time_text(tick) + "Z";
    return run;
}

// Makes the run of a tick and writes it down.
void fire(schedule_move& move, time_point due, time_point now, const tick_plan& plan) {
    auto& record = move.record;
    if (move.room <= 0) {
        ++record.skipped;
        // No run of this tick will end.
        if (plan.follows_runs() && !record.next) record.next = plan.after_run(now);
        return;
    }
    --move.room;
    const auto schedule = id_of(record);
    auto tick = due;
    // It follows an end that may have been told by a clock that is behind, or that was set back since: a tick that has had its run
    // would have no other one, and nobody would tell of its end.
    if (plan.follows_runs() && record.last_tick) tick = std::max(due, *record.last_tick + one_instant);
    auto run = run_for(record, derive_run_id(schedule, tick.time_since_epoch().count()), tick);
    run.body.origin->number = ++record.runs;
    run.body.origin->missed = std::exchange(record.untold, 0);
    if (record.terms.jitter > duration{0}) {
        const auto at = due + tick_jitter(schedule, tick, record.terms.jitter, plan.gap(tick));
        if (at > now) run.starts_at = at;
    }
    record.last_run = run.id;
    record.last_tick = tick;
    move.runs.push_back(std::move(run));
}

// The tick that was put off until the last run had ended.
void fire_queued(schedule_move& move, time_point now, const tick_plan& plan) {
    auto& record = move.record;
    fire(move, *std::exchange(record.queued, std::nullopt), now, plan);
    if (!record.next || runs_are_used_up(record)) finish(record, now);
}

missed_terms terms_of(const schedule_record& record, bool overlaps) {
    missed_terms terms{.rule = record.terms.missed, .cap = record.terms.missed_cap};
    // They would overlap each other.
    if (record.terms.overlap != overlap_rule::allow && terms.rule == missed_rule::run_all)
        terms.rule = missed_rule::run_once;
    // Skipped, or in place of the one that waits already: runs are used up where they are made.
    const bool uses_none = overlaps && record.terms.overlap != overlap_rule::cancel_running;
    if (record.terms.max_runs && !uses_none)
        terms.runs_left =
            std::max<std::int64_t>(*record.terms.max_runs - record.runs - (record.queued ? 1 : 0), 0);
    return terms;
}

// There was no room for some of its runs: these used up none of those that it may have.
bool goes_on_after_skipping(schedule_move& move, time_point now, const tick_plan& plan) {
    auto& record = move.record;
    if (runs_are_used_up(record)) return false;
    if (!record.next && !plan.follows_runs()) record.next = plan.next(now);
    return record.next || (plan.follows_runs() && !move.runs.empty());
}

// The tick that it waits for is due.
void fire_due(schedule_move& move, time_point now, const last_run_seen& last, const tick_plan& plan) {
    auto& record = move.record;
    const bool overlaps =
        !plan.follows_runs() && record.terms.overlap != overlap_rule::allow && last.how == run_standing::open;
    const auto due = due_until(plan, *record.next, now, terms_of(record, overlaps));
    bool finished = due.finished;
    record.missed += due.missed;
    record.untold += due.missed;
    record.next = due.next;
    record.chosen = false;
    if (overlaps && record.terms.overlap == overlap_rule::skip) {
        record.skipped += std::ssize(due.fire);
    } else if (overlaps && record.terms.overlap == overlap_rule::queue_one) {
        if (!due.fire.empty()) {
            if (record.queued) ++record.skipped;
            record.queued = due.fire.back();
        }
    } else {
        // Only by a run that takes its place.
        if (overlaps && !due.fire.empty() && move.room > 0) record.overtaken.push_back(record.last_run);
        const auto skipped = record.skipped;
        for (const auto tick : due.fire) fire(move, tick, now, plan);
        if (record.skipped != skipped) finished = !goes_on_after_skipping(move, now, plan);
    }
    if (finished && !record.queued) finish(record, now);
}

schedule_move unchanged(const schedule_record& record) { return {.record = record}; }

void set_first(schedule_record& record, time_point now, const last_run_seen& last, const zone_source& zones) {
    record.timed = now;
    const auto plan = plan_of(record, zones);
    record.next.reset();
    record.chosen = false;
    if (runs_are_used_up(record)) return finish(record, now);
    // Its runs follow each other; a tick of the timing before would stand beside them.
    if (plan.follows_runs() && record.queued) {
        record.queued.reset();
        ++record.skipped;
    }
    // Its first interval begins when that run has ended.
    if (plan.follows_runs() && last.how == run_standing::open) return;
    record.next = plan.first();
    if (!record.next && !record.queued) finish(record, now);
}

schedule_move begun(schedule_record declared, time_point now, const last_run_seen& last,
                    const zone_source& zones) {
    schedule_move move{.changed = true, .record = std::move(declared)};
    auto& record = move.record;
    record.created = now;
    set_first(record, now, last, zones);
    return move;
}

bool is_overtaken(const schedule_record& declared, const schedule_record& seen) {
    if (declared.declared_at == time_point{}) return false;
    const bool ended_since = seen.state == schedule_state::cancelled && seen.ended >= declared.declared_at;
    return ended_since || seen.declared_at > declared.declared_at;
}

bool follows_a_zone(const schedule_timing& timing) {
    return !timing.cron.empty() && !timing.timezone.empty() && timing.timezone != "UTC";
}

// The rules of its zone may have changed since the tick was planned.
void plan_anew(schedule_record& record, time_point now, const tick_plan& plan) {
    if (record.chosen || !follows_a_zone(record.timing)) return;
    record.next = plan.next(now);
    if (!record.next && !record.queued) finish(record, now);
}

// As if it had been declared by then, on the grid that it has.
tick_plan past_plan(const schedule_record& record, time_point from, const zone_source& zones) {
    const auto& timing = record.timing;
    if (timing.cron.empty() && timing.mode != fixed_rate) {
        throw usage_error{"schedule " + record.key + " of " + record.run.handler + " (" +
                          timing_text(timing) +
                          ") cannot be backfilled: it has no planned ticks; only cron and fixed_rate have"};
    }
    auto past = record;
    past.timed = std::min(record.timed, from);
    if (timing.cron.empty() && !timing.begin) {
        const auto origin = record.timed + timing.interval;
        const auto back = origin > from ? (origin - from) / timing.interval : 0;
        past.timing.begin = origin - back * timing.interval;
    }
    return plan_of(past, zones);
}

}  // namespace

tick_plan plan_of(const schedule_record& record, const zone_source& zones) {
    const auto& timing = record.timing;
    const tick_window window{.begin = timing.begin, .end = timing.end};
    if (timing.cron.empty())
        return {interval_ticks{.interval = timing.interval, .mode = timing.mode}, window, record.timed};
    const cron_seed seed{.handler = record.identity, .key = record.key};
    return {cron_ticks{cron_line::parse(timing.cron, seed), zones(timing.timezone)}, window, record.timed};
}

schedule_move declare(const std::optional<schedule_record>& seen, schedule_record declared, time_point now,
                      const last_run_seen& last, const zone_source& zones) {
    if (seen && is_overtaken(declared, *seen)) return unchanged(*seen);
    if (declared.declared_at == time_point{}) declared.declared_at = now;
    declared.declared_args = declared.run.args;
    if (!seen) return begun(std::move(declared), now, last, zones);
    if (seen->state == schedule_state::cancelled) {
        declared.last_run = seen->last_run;
        declared.last_tick = seen->last_tick;
        return begun(std::move(declared), now, last, zones);
    }
    schedule_move move = unchanged(*seen);
    auto& record = move.record;
    const bool timed_anew = declared.timing != seen->timing;
    // What is due by the timing that was is due.
    if (timed_anew && seen->state == schedule_state::active) {
        try {
            move = look(*seen, now, last, zones);
        } catch (const usage_error&) {
            // This machine cannot read the timing that was, of a zone that is gone: it is what the new one replaces.
        }
    }
    if (declared.declared_args == seen->declared_args) declared.run.args = record.run.args;
    record.run = std::move(declared.run);
    record.declared_args = std::move(declared.declared_args);
    record.timing = std::move(declared.timing);
    record.terms = declared.terms;
    const bool may_go_on = seen->terms.max_runs != record.terms.max_runs &&
                           record.state == schedule_state::finished && !runs_are_used_up(record);
    if (timed_anew || may_go_on) {
        if (has_ended(record.state)) record.state = schedule_state::active;
        const auto& newest = move.runs.empty() ? last : last_run_seen{.how = run_standing::open};
        set_first(record, now, newest, zones);
    } else if (!has_ended(record.state) && runs_are_used_up(record)) {
        finish(record, now);
    }
    move.changed = record != *seen;
    if (move.changed) record.declared_at = declared.declared_at;
    return move;
}

schedule_move look(const schedule_record& seen, time_point now, const last_run_seen& last,
                   const zone_source& zones, std::int64_t room) {
    schedule_move move = unchanged(seen);
    move.room = room;
    auto& record = move.record;
    if (has_ended(record.state)) {
        move.forgotten = move.changed = now >= record.ended + kept_after_its_end;
        return move;
    }
    if (record.state != schedule_state::active) return move;
    const auto plan = plan_of(record, zones);
    if (record.queued && last.how != run_standing::open) fire_queued(move, now, plan);
    if (record.next && *record.next <= now) {
        const bool fired = !move.runs.empty();
        // A run that was revived, or one that a run by hand asked for.
        if (plan.follows_runs() && last.how == run_standing::open)
            record.next.reset();
        else
            fire_due(move, now, fired ? last_run_seen{.how = run_standing::open} : last, plan);
    } else if (record.next) {
        plan_anew(record, now, plan);
    } else if (record.state == schedule_state::active && plan.follows_runs() &&
               last.how != run_standing::open) {
        record.next = plan.after_run(last.how == run_standing::ended ? last.finished_at : now);
        if (!record.next) finish(record, now);
    }
    move.changed = record != seen;
    return move;
}

schedule_move hear_end(const schedule_record& seen, const ended_run& over, time_point now,
                       const zone_source& zones, bool fires) {
    schedule_move move = unchanged(seen);
    auto& record = move.record;
    if (record.state == schedule_state::cancelled) return move;
    const auto plan = plan_of(record, zones);
    const auto wish = over.ended_as == state::success ? over.wish : schedule_wish{};
    if (wish.args) {
        record.run.args = *wish.args;
        record.run.gates = wish.gates;
    }
    if (over.ended_as == state::dead && record.terms.pause_on_dead &&
        record.state == schedule_state::active) {
        record.state = schedule_state::paused;
        record.queued.reset();
    }
    const bool waited_for = over.id == record.last_run && !has_ended(record.state);
    if (waited_for && plan.follows_runs() && !record.next) {
        record.next = plan.after_run(over.finished_at);
        if (!record.next && !wish.next_at) finish(record, now);
    }
    // First: what the run asks for comes after it.
    if (fires && waited_for && record.queued && record.state == schedule_state::active && !wish.stop)
        fire_queued(move, now, plan);
    if (wish.stop) {
        if (!has_ended(record.state)) finish(record, now);
    } else if (wish.next_at && !runs_are_used_up(record)) {
        auto at = std::clamp(*wish.next_at, now, latest_tick);
        if (record.last_tick) at = std::max(at, *record.last_tick + one_instant);
        if (record.timing.end && at >= *record.timing.end) {
            if (!has_ended(record.state)) finish(record, now);
        } else {
            if (has_ended(record.state)) record.state = schedule_state::active;
            record.next = at;
            record.chosen = true;
        }
    }
    move.changed = record != seen;
    return move;
}

schedule_move pause(const schedule_record& seen) {
    schedule_move move = unchanged(seen);
    if (seen.state != schedule_state::active) return move;
    move.record.state = schedule_state::paused;
    move.record.queued.reset();
    move.changed = true;
    return move;
}

schedule_move resume(const schedule_record& seen, time_point now, const zone_source& zones) {
    schedule_move move = unchanged(seen);
    if (seen.state != schedule_state::paused) return move;
    auto& record = move.record;
    const auto plan = plan_of(record, zones);
    record.state = schedule_state::active;
    record.next = plan.after_pause(record.next, now);
    const bool follows_a_run = plan.follows_runs() && !seen.next;
    if (!record.next && !follows_a_run) finish(record, now);
    move.changed = true;
    return move;
}

schedule_move cancel(const schedule_record& seen, time_point now) {
    schedule_move move = unchanged(seen);
    if (seen.state == schedule_state::cancelled) return move;
    finish(move.record, now);
    move.record.state = schedule_state::cancelled;
    move.changed = true;
    return move;
}

planned_run run_now(const schedule_record& record, time_point now) {
    const auto id = beside(new_task_id(now.time_since_epoch().count()), id_of(record));
    auto made = run_for(record, id, now);
    made.body.origin->number = record.runs;
    made.body.origin->missed = record.untold;
    return made;
}

std::vector<planned_run> backfill(const schedule_record& record, time_point from, time_point to,
                                  std::size_t most, const zone_source& zones) {
    std::vector<planned_run> runs;
    for (const auto tick : ticks_between(past_plan(record, from, zones), from, to, most)) {
        runs.push_back(run_for(record, derive_run_id(id_of(record), tick.time_since_epoch().count()), tick));
    }
    return runs;
}

std::int64_t ticks_to_backfill(const schedule_record& record, time_point from, time_point to,
                               const zone_source& zones) {
    return past_plan(record, from, zones).count(from, to);
}

std::optional<time_point> look_at(const schedule_record& record, time_point now) {
    if (!record.overtaken.empty()) return now;
    switch (record.state) {
    case schedule_state::paused: return std::nullopt;
    case schedule_state::finished:
    case schedule_state::cancelled: return record.ended + kept_after_its_end;
    case schedule_state::active: break;
    }
    const auto checked = now + checked_every;
    if (!record.next) return checked;
    if (follows_a_zone(record.timing) && !record.queued)
        return std::min(*record.next, now + duration{std::chrono::days{1}});
    return record.queued ? std::min(*record.next, checked) : *record.next;
}

}  // namespace errand
