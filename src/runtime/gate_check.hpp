// Finds tasks that lack gates when a worker would start them: of limits that were set, or that their handler got, after they
// were submitted. They go back with them, once.
#pragma once

#include "core/record.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "store/store.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

namespace errand {

// On its loop's thread only.
class gate_check {
public:
    explicit gate_check(const detail::app_core& app) : app_{app} {}

    // True when it lacked some, which `body` has then. Never twice for one task: what it has and needs no more it keeps.
    // `handler`: null where this program does not know it. Throws as gates_of_task().
    bool adds_to(task_body& body, const task_id& id, const known_handler* handler);

private:
    const std::string& of_policy(const known_handler& handler);
    static bool lacks(const task_body& body, std::string_view gates);

    const detail::app_core& app_;
    // The gates of each handler by its policy, without keys.
    std::unordered_map<const known_handler*, std::string> policies_;
};

// What is said of such a task: back it goes, with this body. No attempt is used.
report regroup_report(const claimed_task& task, const task_body& body);

}  // namespace errand
