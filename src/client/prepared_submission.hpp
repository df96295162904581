// A submission that has its id and its rules, but has not left yet: what direct, bulk and held-back submission share.
// On any thread.
#pragma once

#include <errand/detail/engine.hpp>

#include "core/record.hpp"
#include "runtime/stage_run.hpp"
#include "store/store.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

namespace errand {

struct prepared_submission {
    task_id id;
    std::size_t shards = 1;  // of its namespace
    task_body body;
    std::optional<duration> delay;
    std::optional<duration> expires_after;
    duration retention{0};  // in force: the option's or the policy's
    on_conflict conflict = on_conflict::keep;
    std::optional<duration> shelve_after{};  // where there is a shelf
    std::vector<parent_task> after;
    std::optional<std::uint16_t>
        bundle_place{};  // of an item that is collected: where those of its key come together
    std::shared_ptr<reserved_child> child{};  // of the stage that submits it; null for all others
};

enum class policy_source : unsigned char {
    in_force,  // with what is set at run time
    declared,  // by the program alone
};

// Merges options over policy, checks all of it and chooses the id. Throws usage_error, bad_data.
prepared_submission prepare(detail::draft&& from, policy_source source = policy_source::in_force);
// The same where it is to stay: to move one costs as much as a small allocation. `one`: a new one.
void prepare(prepared_submission& one, detail::draft&& from, policy_source source = policy_source::in_force);

// Makes it a child of the stage, unless it has a biz_id: with an id that the stage's next run chooses again. Null: of none.
void make_child_of(stage_run* stage, prepared_submission& one);

// What the store takes, stamped with the store's time.
submission_item item_of(prepared_submission&& one, time_point store_now, incarnation& life);
// The same, under a life that was chosen: submitted when that says.
submission_item item_of(prepared_submission&& one, incarnation life);

// The error that an answer means for the submitter; null when the submission stands.
std::exception_ptr refusal(const submit_answer& answer, const task_id& id, const std::string& handler,
                           const std::optional<std::string>& biz_id, on_conflict conflict);

}  // namespace errand
