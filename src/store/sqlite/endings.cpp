#include "store/sqlite/endings.hpp"

#include "store/sqlite/outcome_front.hpp"

namespace errand::sqlite {
namespace {

// An ended task of which nothing is kept stays so long for those who wait for it, ms.
constexpr std::int64_t for_those_who_wait = 60'000;

}  // namespace

std::int64_t queue_totals::* total_of(state where) {
    switch (where) {
    case state::dead: return &queue_totals::dead;
    case state::cancelled: return &queue_totals::cancelled;
    case state::expired: return &queue_totals::expired;
    default: return &queue_totals::success;
    }
}

bool endings::tell(const task_id& id, incarnation life, std::int64_t finished, std::string_view outcome) {
    bool heard = false;
    if (!tx_.any.watched) tx_.any.watched = sql_.any_watched().next();
    if (*tx_.any.watched) {
        for (auto rows = sql_.watchers(tx_.ns(), id.view()); rows.next(); heard = true) {
            tx_.notify(rows.number(0), rows.bytes(1), notice::kind::ended,
                       {id, life, time_point{duration{finished}}, std::string{outcome}});
        }
        if (heard) sql_.forget_watchers.run(tx_.ns(), id.view());
    }
    if (edges_.any_of(link::tells, id)) {
        edges_.announce(id, static_cast<tidings>(outcome.front()));
        heard = true;
    }
    return heard;
}

bool endings::tell_schedule(const task_id& id, std::string_view body) {
    const auto schedule = schedule_of(body);
    if (schedule) edges_.announce_run(id, *schedule);
    return schedule.has_value();
}

bool endings::tell_schedule_of_any_end(const task_id& id, const task_row& row) {
    if (row.body == 0) return tells_end(row.small) && tell_schedule(id, row.small);
    auto rows = sql_.body(row.body);
    return rows.next() && tells_end(rows.bytes(0)) && tell_schedule(id, rows.bytes(0));
}

void endings::bury(const task_id& id, task_row& row, std::string_view outcome) {
    const auto as = ended_as(outcome);
    auto& queue = *row.list->queue;
    const bool watched = tell(id, row.life, tx_.now(), outcome);
    const bool heard = tell_schedule_of_any_end(id, row) || watched;
    tx_.cache().count(queue, total_of(as));
    auto retention = retention_of(outcome);
    if (retention == 0 && heard) retention = for_those_who_wait;
    // Edges that are left go in steps before it: clean comes to it.
    if (retention == 0 && edges_.untie(id)) return rows_.drop(id, row);
    rows_.change_list(row, tx_.cache().list(queue, kind_of(as), retention));
    // What had happened to one that is cancelled is told as before: its outcome does not say it.
    auto& ends = as == state::cancelled ? sql_.end_aside : sql_.end;
    ends.run(tx_.ns(), id.view(), row.list->k, tx_.now(), outcome);
}

void endings::end_without_trace(const task_id& id, task_row& row, std::int64_t finished,
                                std::string_view outcome, bool heard) {
    if (heard) {
        rows_.change_list(row,
                          tx_.cache().list(*row.list->queue, kind_of(ended_as(outcome)), for_those_who_wait));
        sql_.end.run(tx_.ns(), id.view(), row.list->k, finished, outcome);
    } else if (unique_for(outcome) > 0) {
        row.outcome = outcome;
        rows_.keep_remnant(id, row, tx_.now() + unique_for(outcome));
    } else if (edges_.untie(id)) {
        rows_.drop(id, row);
    } else {
        rows_.change_list(row, tx_.cache().list(*row.list->queue, kind_of(ended_as(outcome)), 0));
        sql_.end.run(tx_.ns(), id.view(), row.list->k, finished, outcome);
    }
}

bool endings::drop_ended(const task_id& id, task_row& row) {
    if (!edges_.untie(id)) return false;
    edges_.forget_record(id);
    const auto until = row.finished_at() + unique_for(row.outcome);
    if (until > tx_.now()) {
        rows_.keep_remnant(id, row, until);
    } else {
        rows_.drop(id, row);
    }
    return true;
}

void endings::leave_waiting(const task_id& id, const task_row& row) {
    if (row.where() == state::waiting) edges_.leave_waiting(id);
}

}  // namespace errand::sqlite
