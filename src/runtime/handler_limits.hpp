// The limits that the handlers of this program bring with them. A worker declares them before its first claim.
#pragma once

#include <errand/awaitable.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace errand {

class store;

// Of each handler whose code is here: what its policy limits and the declared limits that it names. What an earlier version of
// it limited, and this one does not, limits nothing any more. On the store's executor; two round trips at most. Returns in words
// what was declared otherwise before: by an earlier version, or by programs that run beside this one.
awaitable<std::vector<std::string>> declare_handler_limits(store& in);
// Those of them that the store does not know at all; how many. What a later version has declared stays.
awaitable<std::size_t> restore_handler_limits(store& in);

}  // namespace errand
