// A schedule's record as users are shown it. On any thread.
#pragma once

#include <errand/schedule.hpp>

#include "core/schedule_record.hpp"

namespace errand {

schedule_info info_of(const schedule_record& record);

}  // namespace errand
