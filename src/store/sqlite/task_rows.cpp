#include "store/sqlite/task_rows.hpp"

#include "core/bytes.hpp"
#include "store/sqlite/outcome_front.hpp"

namespace errand::sqlite {
namespace {

// A larger body stands apart from its task.
constexpr std::size_t most_small = 400;

}  // namespace

std::int64_t task_row::finished_at() const {
    return list->kind == remnants ? *place - unique_for(outcome) : place.value_or(0);
}

bool task_row::started() const {
    if (claim) return true;
    if (notes.empty()) return false;
    const auto seen = decode_notes(notes);
    return seen.attempts != 0 || seen.started_at || seen.revived;
}

std::optional<task_row> task_rows::find(const task_id& id) {
    auto rows = sql_.find(tx_.ns(), id.view());
    if (!rows.next()) return std::nullopt;
    task_row row;
    row.list = &tx_.cache().list_of(rows.number(0));
    if (!rows.is_null(1)) row.place = rows.number(1);
    if (!rows.is_null(2)) row.claim = static_cast<claim_number>(rows.number(2));
    row.body = rows.number(3);
    row.life = static_cast<incarnation>(rows.number(4));
    row.priority = static_cast<int>(rows.number(5));
    if (!rows.is_null(6)) row.expires = rows.number(6);
    row.notes = rows.bytes(7);
    row.outcome = rows.bytes(8);
    if (row.body == 0) row.small = rows.bytes(9);
    if (!rows.is_null(10)) row.group = rows.number(10);
    return row;
}

bool task_rows::holds(const task_id& id, claim_number claim) {
    auto rows = sql_.holder(tx_.ns(), id.view());
    return rows.next() && !rows.is_null(0) && static_cast<claim_number>(rows.number(0)) == claim;
}

std::string task_rows::body_of(const task_row& row) {
    if (row.body == 0) return row.small;
    auto rows = sql_.body(row.body);
    if (!rows.next()) throw_damaged("a task has no body");
    return std::string{rows.bytes(0)};
}

bool task_rows::insert(const task_id& id, list_row& to, std::int64_t at, std::string_view body, int priority,
                       std::optional<std::int64_t> expires, std::optional<group_number> group) {
    std::int64_t large = 0;
    std::optional<std::string_view> small{body};
    if (body.size() > most_small) {
        sql_.submit_body.run(*std::exchange(small, std::nullopt));
        large = tx_.in.last_row();
    }
    sql_.submit_task.run(tx_.ns(), id.view(), to.k, at, large, incarnation_of(body), priority, expires, small,
                         group);
    if (!tx_.in.changed()) {
        if (large != 0) sql_.drop_body.run(large);
        return false;
    }
    tx_.cache().grow(to, 1);
    return true;
}

void task_rows::change_body(const task_id& id, const task_row& row, std::string_view bytes) {
    if (row.body != 0) {
        sql_.change_body.run(row.body, bytes);
    } else if (bytes.size() <= most_small) {
        sql_.keep_small.run(tx_.ns(), id.view(), bytes);
    } else {
        sql_.submit_body.run(bytes);
        sql_.keep_large.run(tx_.ns(), id.view(), tx_.in.last_row());
    }
}

void task_rows::drop_body(const task_row& row) {
    if (row.body != 0) sql_.drop_body.run(row.body);
}

void task_rows::change_list(task_row& row, list_row& to) {
    groups_.left(*row.list, row.group, row.place);
    tx_.cache().shift(*row.list, to);
    row.list = &to;
}

void task_rows::move(const task_id& id, task_row& row, list_row& to, std::int64_t place) {
    change_list(row, to);
    row.place = place;
    sql_.move.run(tx_.ns(), id.view(), to.k, place);
}

void task_rows::drop(const task_id& id, const task_row& row) {
    sql_.drop.run(tx_.ns(), id.view());
    drop_body(row);
    drop_stages(id);
    tx_.cache().grow(*row.list, -1);
    groups_.left(*row.list, row.group, row.place);
}

void task_rows::drop_stages(const task_id& id) {
    if (any_stage()) sql_.drop_stages.run(tx_.ns(), id.view());
}

void task_rows::keep_remnant(const task_id& id, task_row& row, std::int64_t until) {
    drop_stages(id);
    change_body(id, row, body_of_remnant(body_of(row)));
    const auto outcome = outcome_of_remnant(row.outcome);
    change_list(row, tx_.cache().list(*row.list->queue, remnants));
    sql_.end.run(tx_.ns(), id.view(), row.list->k, until, std::string_view{outcome});
}

std::string task_rows::stages_of(const task_id& id) {
    std::string all;
    if (!any_stage()) return all;
    for (auto rows = sql_.read_stages(tx_.ns(), id.view()); rows.next();) {
        if (all.empty()) byte_writer{all}.fixed(static_cast<std::uint64_t>(rows.number(0)), 8);
        all += rows.bytes(1);
    }
    return all;
}

bool task_rows::any_stage() {
    if (!tx_.any.stages) tx_.any.stages = sql_.any_stage().next();
    return *tx_.any.stages;
}

}  // namespace errand::sqlite
