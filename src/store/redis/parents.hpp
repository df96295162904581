// How scripts are told what a task depends on. Pure.
#pragma once

#include "store/store.hpp"

#include <span>
#include <string>

namespace errand::redis {

// Each id, and 'h' when it must be known, 'r' when it may come later, 'w' when it begins with the same submission, or 'f'
// when another shard keeps it.
inline std::string parents_text(std::span<const parent_task> parents) {
    std::string text;
    text.reserve(parents.size() * 17);
    for (const auto& one : parents) {
        text += one.id.view();
        switch (one.where) {
        case parent_task::location::here: text.push_back(one.accepted ? 'h' : 'r'); break;
        case parent_task::location::elsewhere: text.push_back('f'); break;
        case parent_task::location::later: text.push_back('w'); break;
        }
    }
    return text;
}

}  // namespace errand::redis
