// The audit of a namespace: what stands in several places agrees in all of them. Indexes are SQLite's own affair; what is
// looked at is what errand keeps twice: states and claims, counters, edges and who tells of them.
#pragma once

#include "store/sqlite/engine_client.hpp"

#include <memory>

namespace errand::sqlite {

// Must not outlive the client.
std::unique_ptr<auditor> make_audit(engine_client& at, bool repair);

}  // namespace errand::sqlite
