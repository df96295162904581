// A task as an audit finds it, and what contradicts itself there.
#pragma once

#include "store/sqlite/namespace_cache.hpp"

namespace errand::sqlite {

struct seen_task {
    enum class damage : std::uint8_t {
        none,
        no_body,
        unlisted,       // it stands in a list that is not there
        wrong_list,     // it has ended, and its list says otherwise
        two_states,     // it is in a list and working
        lost,           // it is in no order, or works for nobody
        no_lease,       // it works, and no lease will run out
        never_deleted,  // it has ended, and is in no order
        no_outcome,     // it has ended, and does not say how
        forgotten,      // it waits, and nobody knows for what
        hidden,         // it stands aside where nobody looks who knows its handler
    };

    task_id id;
    list_row* list = nullptr;
    claim_number claim = 0;
    bool placed = false, claimed = false;
    char end = '-';  // the first letter of its outcome
    bool has_body = true, has_lease = true, waits = false;
    bool astray = false;  // it stands aside among those of another handler
    damage what = damage::none;

    // Finds what is wrong; the words for it.
    std::string_view judge();
    static std::string_view kind_of(damage what);
};

}  // namespace errand::sqlite
