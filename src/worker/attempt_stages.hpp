// The stages of one attempt: what the task has stored so far, and which this attempt has called.
//
// Invariant: a result is handed out only when the store has it, under the claim of this attempt. On the task's home loop
// only.
#pragma once

#include "core/stage_record.hpp"
#include "runtime/async_gate.hpp"
#include "runtime/loop.hpp"
#include "runtime/stage_run.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace errand {

class active_task;
class executor;

class attempt_stages {
public:
    attempt_stages(active_task& of, executor& on) : of_{of}, on_{on} {}

    // Marks the stage as called, in this attempt and in the stage it was called in; usage_error when it was before. Its
    // stored result, or nothing when it has to be run.
    awaitable<std::optional<std::string>> call(std::string name, stage_run* within);
    // Stores what a stage has yielded; lease_lost when the attempt no longer counts.
    awaitable<void> keep(stage_record done);
    // These may be called again: the stage in which they were called is tried again.
    void forget(const std::vector<std::string>& names);

private:
    awaitable<void> load();
    template <class Answer>
    awaitable<Answer> unbroken(awaitable<Answer> call);
    [[noreturn]] void throw_lost() const;

    active_task& of_;
    executor& on_;
    std::set<std::string, std::less<>> called_;
    std::map<std::string, std::string, std::less<>> results_;
    std::size_t bytes_ = 0;  // of all records
    enum class reading : unsigned char { unread, under_way, read } reading_ = reading::unread;
    std::optional<async_gate> loaded_;  // for those who wait for another branch's reading
};

}  // namespace errand
