// What is submitted, and what the store answers to that. Data only.
#pragma once

#include <errand/time.hpp>

#include "core/record.hpp"
#include "core/submission_rules.hpp"
#include "core/task_id.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace errand {

// One that a task depends on.
struct parent_task {
    task_id id;
    bool accepted = false;  // known to have been accepted: not there now, it is no longer kept
    // How the store looks at it: not at all when another shard keeps it, or when it begins with the same submission
    // but in a later call.
    enum class location : std::uint8_t { here, elsewhere, later };
    location where = location::here;
};

// A task that ends for the sake of another one.
struct task_to_end {
    task_id id;
    incarnation life = 0;
    std::string outcome;  // encoded: with this it ends, whoever has it; it says that nothing is kept
};

struct submission_item {
    task_id id;
    std::string body;   // an encoded task_body
    std::string queue;  // the body's own queue
    int priority = 0;
    std::optional<duration> delay;          // from now, by the store's clock
    std::optional<time_point> at;           // or at this time
    std::optional<duration> expires_after;  // from its due time
    on_conflict conflict = on_conflict::keep;
    std::vector<parent_task> after;  // as in the body
    on_failed rule = on_failed::cancel;
    bool incomplete = false;  // of one that waits: stored as `registering`, whatever its parents are
    // From a database's outbox: it may be submitted again at any time, with the same body, until forget() is called. The
    // store remembers its id and life, and answers the next time that it is a duplicate, whatever has become of the task.
    bool may_come_again = false;
    bool gated = false;  // its body has gates (core/gates.hpp)
    // In the step in which this one is accepted, or found to be a duplicate: another task of its shard, which has not ended or
    // is deleted then. In another mode than `each` it is the only item of its call.
    std::optional<task_to_end> instead_of{};
    // Where there is a shelf: what is due later than in so long waits there; nullopt: this one does not.
    std::optional<duration> shelve_after{};
    // So may it, though it may come again: the shelf remembers that it came, until forget() as well.
    bool may_come_again_there = false;
    bool for_shelf = false;  // it does
    // It does, or the shelf may hold what it or another item of its call is about. In the mode `each` all of them are of one shard.
    bool asks_shelf = false;
    bool waits() const noexcept { return !after.empty() || rule == on_failed::gather; }
};

// Bytes of their bodies.
inline std::size_t body_bytes(std::span<const submission_item> items) {
    std::size_t bytes = 0;
    for (const auto& one : items) bytes += one.body.size();
    return bytes;
}

struct submit_answer {
    submit_verdict verdict = submit_verdict::accepted;
    incarnation life = 0;  // of the task that holds the id now (0: not stored)
    std::vector<task_id> others{};
};

// A submission that may_come_again.
struct delivered_task {
    task_id id;
    incarnation life = 0;
    bool may_be_on_shelf = false;  // that may_come_again_there
};

enum class submit_mode : std::uint8_t {
    each,
    all_or_nothing,
    ask,  // writes nothing: what all_or_nothing would answer
};

}  // namespace errand
