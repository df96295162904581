// errand doctor --upgrade: what a store needs of the errand that is to work on it, and who works on it now.
#pragma once

#include "cli/commands.hpp"
#include "store/stored_format.hpp"

#include <string_view>

namespace errand::cli {

enum class upgrade_need {
    nothing,
    making,            // nothing of errand's is there: the first program makes it
    bringing_forward,  // by the first program of this errand that opens it
    newer_errand,      // this one refuses it
    older_errand,      // likewise: it no longer knows the format
};

upgrade_need need_of(const stored_format& seen);
// As --json names it.
std::string_view name_of(upgrade_need need);

// Changes nothing. Undone when this errand would refuse one of the stores.
exit_code show_upgrade(session& on);

}  // namespace errand::cli
