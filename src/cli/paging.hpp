// Reads as many tasks of a list as were asked for, page by page.
#pragma once

#include <errand/inspect.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace errand::cli {

class session;

class pager {
public:
    // @param after where to go on, empty for the beginning
    // @param most  so many tasks in all
    pager(session& on, task_filter which, std::string after, std::size_t most, list_order order)
        : on_{on}, which_{std::move(which)}, next_{std::move(after)}, left_{most}, order_{order} {}

    // The next page, never empty; an empty vector is the end.
    std::vector<task_info> page();

    // Where the next one goes on; empty when that was all.
    const std::string& next() const noexcept { return next_; }

private:
    session& on_;
    task_filter which_;
    std::string next_;
    std::size_t left_;
    list_order order_;
    bool ended_ = false;
};

}  // namespace errand::cli
