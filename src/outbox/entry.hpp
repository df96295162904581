// What stands in errand_outbox: tasks that a transaction has submitted and schedules that it has declared, until the store
// has them. Pure.
//
// A row carries all that the store takes: a submission that is read back is the same, byte for byte, but that its delay
// is the time that it falls due at.
#pragma once

#include <errand/sql.hpp>

#include "client/open_transaction.hpp"
#include "core/sealed_records.hpp"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace errand {

// Another one where older versions could not read a row.
inline constexpr std::int64_t outbox_task_format = 1, outbox_schedule_format = 2;

// One task or schedule: written by its commit, delivered, struck off.
struct outbox_entry {
    std::string batch;       // all that one commit submits has the same: a UUID that begins with the time
    std::int64_t place = 0;  // in the batch
    submission_item item{};  // of a schedule its id outside the first shard, and nothing else
    incarnation life = 0;    // that the body is stamped with; 0 of a schedule
    std::string schedule{};  // the record that it declares, encoded
    // Of what this process commits: who has its handle learns here what becomes of it.
    std::shared_ptr<detail::held_task> task{};
    std::uint64_t ticket = 0;                      // the order in which they were committed, for its courier
    std::chrono::steady_clock::time_point made{};  // before its row was written
    bool admitted = false;                         // the quota has let it through, before its commit
    // Of what was read: since it was written.
    duration age{0};
};

// A relay, of whatever process, takes rows that are older. Those that were made less long ago are their own process's alone.
inline constexpr std::chrono::milliseconds left_behind_after{5000}, own_for{4000};
inline bool is_own(std::chrono::steady_clock::time_point made) {
    return std::chrono::steady_clock::now() - made < own_for;
}

inline constexpr std::size_t outbox_columns = 13;
// The parameters of "outbox.row".
void append_row(std::vector<sql::value>& to, const std::string& name_space, const outbox_entry& entry);
// What "outbox.take" has selected. Throws bad_data naming batch and place of a row that this version cannot read.
outbox_entry read_row(const std::vector<sql::value>& columns);

// What is written of an entry where content is encrypted, and what was read made readable again, as far as the keys are there.
outbox_entry sealed_entry(outbox_entry entry, const sealed_records& by);
void open_entry(outbox_entry& entry, const sealed_records& by);

// [["batch", place], …]: what "outbox.strike" takes.
std::string places_of(std::span<const outbox_entry> entries);
// What the store is told of tasks once they are struck off.
std::vector<delivered_task> delivered_tasks(std::span<const outbox_entry> entries);

}  // namespace errand
