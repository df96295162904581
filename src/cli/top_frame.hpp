// What `errand top` shows at one moment. Pure.
#pragma once

#include <errand/inspect.hpp>

#include "cli/terminal.hpp"

#include <string>
#include <vector>

namespace errand::cli {

struct top_view {
    std::string name_space;
    std::vector<queue_info> queues;
    std::vector<worker_info> workers;
    time_point now{};
};

// @param size 0 for a side without limit
std::string frame_text(const top_view& view, screen_size size);

}  // namespace errand::cli
