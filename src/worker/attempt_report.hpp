// From the end of an attempt to what the store is told of it. Pure.
#pragma once

#include "core/attempt_rules.hpp"
#include "store/store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace errand {

// What a report says beside the decision.
struct attempt_facts {
    task_id id;
    claim_number claim = 0;
    std::string_view queue;
    int priority = 0;
    bool had_notes = false;                // the store holds notes of the task
    std::optional<time_point> started_at;  // absent when it never started
    std::string_view worker;               // who ran it
    std::string_view body;                 // as it was claimed
    time_point now{};                      // by the store's clock
    std::string_view sealed_body{};        // as it was claimed
};

// `result`: JSON text of a task that succeeded.
report report_of(decision decided, const attempt_terms& terms, const attempt_facts& facts,
                 std::string result);

}  // namespace errand
