// Submissions as part of a trace: their tasks carry it on. On the executor of the submitter.
#pragma once

#include "client/prepared_submission.hpp"
#include "runtime/open_span.hpp"

#include <memory>
#include <span>

namespace errand {

namespace detail {
class app_core;
}

// Writes into the headers of these tasks which trace they belong to: that of the span of their submission, which ends with what is
// returned; where nobody takes spans that of `around`. What says of itself which trace it belongs to stays in it. Null: no span.
std::unique_ptr<open_span> trace_submission(detail::app_core& app, const ambient* around,
                                            std::span<prepared_submission> all);

}  // namespace errand
