// The audit of a SQLite file, a page a call, so that others have their turns between two.
#pragma once

#include "store/sqlite/engine_client.hpp"

#include <memory>

namespace errand::sqlite {

// An audit, a page a call. Must not outlive the client.
std::unique_ptr<auditor> make_audit(engine_client& at, bool repair);

}  // namespace errand::sqlite
