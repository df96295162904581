// Answers made smaller, for who can read that.
#pragma once

#include <errand/awaitable.hpp>

#include "service/message.hpp"

#include <string>

namespace errand::web {

// Whether the client reads gzip: "gzip", "gzip;q=0.5", "*"; not "gzip;q=0".
bool reads_gzip(const request& from);

// The text as gzip. In slices, between which others on this loop are served.
awaitable<std::string> gzipped(const std::string& text);

}  // namespace errand::web
