#include "service/task_options.hpp"

#include <limits>

namespace errand::web {

void read_task_options(const members& given, options& into) {
    into.queue = given.text("queue");
    if (const auto priority = given.integer("priority", 0, 9)) into.priority = static_cast<int>(*priority);
    if (const auto retries = given.integer("max_retry", 0, std::numeric_limits<int>::max()))
        into.max_retry = static_cast<int>(*retries);
    into.timeout = given.length("timeout_ms");
    into.expires_after = given.length("expires_after_ms");
    into.retention = given.length("retention_ms");
    into.headers = given.text_map("headers");
    into.tags = given.texts("tags");
}

}  // namespace errand::web
