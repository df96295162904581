#include "cli/paging.hpp"

#include "cli/session.hpp"

#include <algorithm>

namespace errand::cli {

std::vector<task_info> pager::page() {
    constexpr std::size_t largest = 500;
    // A filter that matches few gives pages without tasks: `next` alone says where the end is.
    while (!ended_ && left_ > 0) {
        auto got = on_.run(on_.inspect().list(which_, next_, std::min(left_, largest), order_));
        next_ = std::move(got.next);
        ended_ = next_.empty();
        // Of working tasks a page may have some more.
        left_ -= std::min(left_, got.tasks.size());
        if (!got.tasks.empty()) return std::move(got.tasks);
    }
    return {};
}

}  // namespace errand::cli
