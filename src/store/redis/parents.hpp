// How scripts are told what a task depends on.
#pragma once

#include "store/store.hpp"

#include <span>
#include <string>

namespace errand::redis {

// Each id, and 'h' when it must be known or 'r' when it may come later.
inline std::string parents_text(std::span<const parent_task> parents) {
    std::string text;
    text.reserve(parents.size() * 17);
    for (const auto& one : parents) {
        text += one.id.view();
        text.push_back(one.accepted ? 'h' : 'r');
    }
    return text;
}

}  // namespace errand::redis
