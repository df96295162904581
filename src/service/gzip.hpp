// Answers made smaller, for who can read that.
#pragma once

#include <errand/awaitable.hpp>

#include "service/message.hpp"

namespace errand::web {

// Whether the client reads gzip, and likes it no less than what is not compressed: "gzip", "gzip;q=0.5", "*"; not "gzip;q=0".
bool reads_gzip(const request& from);

// What is large as gzip, for a client that reads that and where it becomes smaller; by Vary caches learn that there are both.
// What has no end stays as it is.
awaitable<void> compress(answer& what, const request& asked);

}  // namespace errand::web
