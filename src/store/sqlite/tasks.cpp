// The row of a task, and what every way of ending has in common.
#include "store/sqlite/ledger.hpp"
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

std::int64_t task_row::finished_at() const {
    return list->kind == remnants ? *place - unique_for(outcome) : place.value_or(0);
}

std::optional<task_row> ledger::row_of(const task_id& id) {
    auto rows = sql_.find(ns(), id.view());
    if (!rows.next()) return std::nullopt;
    task_row row;
    row.list = &cache_->list_of(rows.number(0));
    if (!rows.is_null(1)) row.place = rows.number(1);
    if (!rows.is_null(2)) row.claim = static_cast<claim_number>(rows.number(2));
    row.body = rows.number(3);
    row.life = static_cast<incarnation>(rows.number(4));
    row.priority = static_cast<int>(rows.number(5));
    if (!rows.is_null(6)) row.expires = rows.number(6);
    row.notes = rows.bytes(7);
    row.outcome = rows.bytes(8);
    if (row.body == 0) row.small = rows.bytes(9);
    return row;
}

std::string ledger::body_of(const task_row& row) {
    if (row.body == 0) return row.small;
    auto rows = sql_.body(row.body);
    if (!rows.next()) throw failure{11, "a task has no body"};
    return std::string{rows.bytes(0)};
}

void ledger::change_body(const task_id& id, const task_row& row, std::string_view bytes) {
    if (row.body != 0) {
        sql_.change_body.run(row.body, bytes);
    } else if (bytes.size() <= most_small) {
        sql_.keep_small.run(ns(), id.view(), bytes);
    } else {
        sql_.submit_body.run(bytes);
        sql_.keep_large.run(ns(), id.view(), in_.last_row());
    }
}

void ledger::drop_body(const task_row& row) {
    if (row.body != 0) sql_.drop_body.run(row.body);
}

// Counters alone: whoever calls writes the row.
void ledger::change_list(task_row& row, list_row& to) {
    cache_->grow(*row.list, -1);
    cache_->grow(to, 1);
    row.list = &to;
}

void ledger::move(const task_id& id, task_row& row, list_row& to, std::int64_t place) {
    change_list(row, to);
    row.place = place;
    sql_.move.run(ns(), id.view(), to.k, place);
}

void ledger::drop(const task_id& id, const task_row& row) {
    sql_.drop.run(ns(), id.view());
    drop_body(row);
    drop_stages(id);
    cache_->grow(*row.list, -1);
}

void ledger::drop_stages(const task_id& id) {
    if (!any_stage_) any_stage_ = sql_.any_stage().next();
    if (*any_stage_) sql_.drop_stages.run(ns(), id.view());
}

void ledger::keep_remnant(const task_id& id, task_row& row, std::int64_t until) {
    drop_stages(id);
    change_body(id, row, body_of_remnant(body_of(row)));
    const auto outcome = outcome_of_remnant(row.outcome);
    change_list(row, cache_->list(*row.list->queue, remnants));
    sql_.end.run(ns(), id.view(), row.list->k, until, std::string_view{outcome});
}

// Tells those who watch, and makes news for tasks that depend on it. Whether there were any.
bool ledger::tell(const task_id& id, incarnation life, std::int64_t finished, std::string_view outcome) {
    bool heard = false;
    if (!any_watched_) any_watched_ = sql_.any_watched().next();
    if (*any_watched_) {
        for (auto rows = sql_.watchers(ns(), id.view()); rows.next(); heard = true) {
            const auto engine = rows.number(0);
            const std::string watcher{rows.bytes(1)};
            if (engine != engine_) {
                sql_.post.run(engine, ns(), text{watcher}, text{"e"}, id.view(), life, finished, outcome);
            } else if (auto* to = idle_.find(ns(), watcher)) {
                notices_.push_back({to,
                                    notice::kind::ended,
                                    {id, life, time_point{duration{finished}}, std::string{outcome}}});
            }
        }
        if (heard) sql_.forget_watchers.run(ns(), id.view());
    }
    if (any_link('c', id)) {
        announce(id, static_cast<tidings>(outcome.front()));
        heard = true;
    }
    return heard;
}

// Ends a task that no worker holds, now. Its row must be in the list that it leaves.
void ledger::bury(const task_id& id, task_row& row, std::string_view outcome) {
    const auto as = ended_as(outcome);
    auto& queue = *row.list->queue;
    const bool heard = tell(id, row.life, now_, outcome);
    cache_->count(queue, total_of(as));
    auto retention = retention_of(outcome);
    if (retention == 0 && heard) retention = for_those_who_wait;
    // Edges that are left go in steps before it: clean comes to it.
    if (retention == 0 && untie(id)) return drop(id, row);
    change_list(row, cache_->list(queue, kind_of(as), retention));
    sql_.end.run(ns(), id.view(), row.list->k, now_, outcome);
}

// A worker's report of the end of a task of which nothing is to be kept.
void ledger::end_without_trace(const task_id& id, task_row& row, std::int64_t finished,
                               std::string_view outcome, bool heard) {
    if (heard) {
        change_list(row, cache_->list(*row.list->queue, kind_of(ended_as(outcome)), for_those_who_wait));
        sql_.end.run(ns(), id.view(), row.list->k, finished, outcome);
    } else if (unique_for(outcome) > 0) {
        row.outcome = outcome;
        keep_remnant(id, row, now_ + unique_for(outcome));
    } else if (untie(id)) {
        drop(id, row);
    } else {
        change_list(row, cache_->list(*row.list->queue, kind_of(ended_as(outcome)), 0));
        sql_.end.run(ns(), id.view(), row.list->k, finished, outcome);
    }
}

}  // namespace errand::sqlite
