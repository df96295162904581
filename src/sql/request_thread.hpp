// Asking a server to end what nobody waits for any more. That may take for ever, and whoever gave up waits for nothing.
#pragma once

#include <functional>

namespace errand::sql {

// Does it on a thread that nobody waits for, not even the end of the program; not at all while sixteen others are at it, or
// without memory or threads: then the server finds out when it has something to say. `work` throws nothing.
void on_request_thread(std::function<void()> work) noexcept;

}  // namespace errand::sql
