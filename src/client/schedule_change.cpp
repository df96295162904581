#include "client/schedule_change.hpp"

#include <errand/error.hpp>

#include "runtime/schedule_steps.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace errand {
namespace {

// Workers that fire it and others that change it may come in between; each time one of them gets ahead.
constexpr int most_schedule_tries = 50;

seen_schedule seen_of(const kept_schedule& kept, time_point now) {
    seen_schedule seen{.id = kept.id, .last_run = kept.last_run, .now = now};
    if (!kept.record.empty()) seen.record = decode_schedule(kept.record);
    return seen;
}

[[noreturn]] void throw_schedule_contended(const task_id& id) {
    throw store_error{"schedule " + to_text(id) +
                      " was not changed: others changed it again and again meanwhile; try once more"};
}

struct planned_steps {
    std::vector<schedule_step> steps{};
    std::vector<schedule_move> moves{};  // as many
};

// Those that the store has not taken are left in `ids`.
awaitable<std::vector<schedule_move>> try_to_change(store& in, std::vector<task_id>& ids,
                                                    const schedule_rule& rule) {
    const auto answer = co_await in.find_schedules(ids);
    std::vector<schedule_move> written;
    planned_steps planned;
    for (const auto& kept : answer.schedules) {
        const auto seen = seen_of(kept, kept.now.value_or(answer.now));
        auto move = rule(seen);
        if (!move.changed) continue;
        planned.steps.push_back(step_of(seen.record ? seen.record->stamp : 0, move, seen.now));
        planned.moves.push_back(std::move(move));
    }
    ids.clear();
    const std::span steps{planned.steps};
    for (std::size_t at = 0; at < steps.size(); at += store::steps_per_call) {
        const auto count = std::min(store::steps_per_call, steps.size() - at);
        const auto verdicts = co_await in.step_schedules(steps.subspan(at, count));
        for (std::size_t n = 0; n < verdicts.size(); ++n) {
            if (verdicts[n] == step_verdict::done) {
                written.push_back(std::move(planned.moves[at + n]));
            } else {
                ids.push_back(steps[at + n].id);
            }
        }
    }
    co_return written;
}

// Arguments that a run has set stay when the same is declared again, and so do their keys.
schedule_record with_gates_of(const seen_schedule& seen, schedule_record declared) {
    if (!seen.record || seen.record->state == schedule_state::cancelled) return declared;
    const auto& there = seen.record->run;
    if (declared.run.args != seen.record->declared_args || declared.run.args == there.args) return declared;
    auto next = there;
    renew_gates(next);
    declared.run.gates = next.gates;
    return declared;
}

}  // namespace

awaitable<seen_schedule> look_at_schedule(store& in, task_id id) {
    const std::array ids{id};
    const auto answer = co_await in.find_schedules(ids);
    const auto& kept = answer.schedules.at(0);
    co_return seen_of(kept, kept.now.value_or(answer.now));
}

const schedule_record& required_record(const seen_schedule& seen) {
    if (seen.record) return *seen.record;
    throw usage_error{"there is no schedule " + to_text(seen.id) +
                      ": one that is finished or cancelled is kept for 30 days"};
}

awaitable<schedule_move> change_schedule(store& in, task_id id, schedule_rule rule) {
    std::vector ids{id};
    for (int tries = 0; tries < most_schedule_tries; ++tries) {
        auto written = co_await try_to_change(in, ids, rule);
        if (!written.empty()) co_return std::move(written.front());
        if (ids.empty()) co_return schedule_move{};
    }
    throw_schedule_contended(id);
}

awaitable<void> change_schedules(store& in, std::vector<task_id> ids, schedule_rule rule) {
    for (int tries = 0; tries < most_schedule_tries && !ids.empty(); ++tries)
        co_await try_to_change(in, ids, rule);
    if (!ids.empty()) throw_schedule_contended(ids.front());
}

std::optional<task_id> other_place(const schedule_record& record, std::size_t shards) {
    const auto plain = derive_schedule_id(record.identity, record.key);
    const auto first = in_first_shard(plain);
    if (shards <= 1 || plain == first) return std::nullopt;
    return record.in_first_shard ? plain : first;
}

awaitable<moved_schedules> leave_places(store& in, std::vector<task_id> ids) {
    moved_schedules moved;
    co_await change_schedules(in, std::move(ids), [&](const seen_schedule& seen) {
        if (!seen.record || seen.record->state == schedule_state::cancelled) return schedule_move{};
        auto next = *seen.record;
        next.in_first_shard = !next.in_first_shard;
        if (!next.in_first_shard) next.run.gates.clear();
        moved.insert_or_assign(id_of(next), next);
        return cancel(*seen.record, seen.now);
    });
    co_return moved;
}

schedule_move declare_here(const seen_schedule& seen, schedule_record declared, const moved_schedules& moved,
                           const zone_source& zones) {
    auto base = seen;
    const auto from = moved.find(seen.id);
    const bool stands_here = seen.record && seen.record->state != schedule_state::cancelled;
    const bool moves = from != moved.end() && !stands_here;
    if (moves) base.record = from->second;
    auto move =
        declare(base.record, with_gates_of(base, std::move(declared)), base.now, base.last_run, zones);
    move.changed = move.changed || moves;
    return move;
}

awaitable<void> declare_all(store& in, std::vector<schedule_record> declared, zone_source zones) {
    std::map<task_id, schedule_record> newest;
    for (auto& one : declared) {
        const auto id = id_of(one);
        newest.insert_or_assign(id, std::move(one));
    }
    std::vector<task_id> ids;
    std::vector<task_id> others;
    for (const auto& [id, one] : newest) {
        ids.push_back(id);
        if (const auto other = other_place(one, in.shards())) others.push_back(*other);
    }
    const auto moved = co_await leave_places(in, std::move(others));
    co_await change_schedules(in, std::move(ids), [&](const seen_schedule& seen) {
        return declare_here(seen, newest.at(seen.id), moved, zones);
    });
}

}  // namespace errand
