// An edge between two tasks, as a pass over all of them finds it.
#pragma once

#include "store/sqlite/ledger.hpp"

#include <string>

namespace errand::sqlite {

struct ledger::edge {
    char kind = 'n';
    task_id of;
    task_id other;

    std::string cursor() const {
        return std::string(1, kind) + std::string{of.view()} + std::string{other.view()};
    }
};

}  // namespace errand::sqlite
