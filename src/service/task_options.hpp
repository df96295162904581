// What is said alike of a task that is submitted and of the runs of a schedule: how it is run and kept.
#pragma once

#include <errand/options.hpp>

#include "service/field.hpp"
#include "service/values.hpp"

namespace errand::web {

inline constexpr field priority_member{"priority", kind::integer, "0 to 9 inside its queue, higher first"};
inline constexpr field timeout_member{"timeout_ms", kind::integer,
                                      "One attempt may last so long; 0: no limit"};
inline constexpr field retries_member{"max_retry", kind::integer, "Retries after the first attempt"};
inline constexpr field expires_member{"expires_after_ms", kind::integer,
                                      "Not started so long after it was due: `expired`"};
inline constexpr field retention_member{"retention_ms", kind::integer, "Kept so long after its end"};
inline constexpr field headers_member{"headers", kind::text_map, "Carried to the handler"};
inline constexpr field tags_member{"tags", kind::texts, "For finding it again"};

// Of these and of `queue`, what is given. Throws refusal.
void read_task_options(const members& given, options& into);

}  // namespace errand::web
