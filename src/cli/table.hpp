// Text tables that fit a width: long cells are cut with "…", and what cannot be cut enough is left out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace errand::cli {

struct column {
    std::string title;
    bool right = false;     // numbers
    std::size_t least = 0;  // characters below which it is not cut; 0: never cut
    int drop = 0;           // when all is cut and too wide still, the largest is left out first; 0: never
};

class table {
public:
    explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

    // As many cells as columns; control characters in them become spaces.
    void add(std::vector<std::string> cells);
    bool empty() const noexcept { return rows_.empty(); }

    // Lines that end with a line break, title first. Columns without any content are left out.
    // @param width in characters; 0: as wide as it comes
    std::string text(std::size_t width) const;

private:
    std::vector<std::size_t> natural() const;

    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace errand::cli
