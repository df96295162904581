#include "cli/table.hpp"

#include "cli/text.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace errand::cli {
namespace {

constexpr std::size_t gap = 2;

std::size_t least_of(const column& one, std::size_t natural) {
    return one.least == 0 ? natural : std::min(natural, one.least);
}

// The columns that are shown, as positions, and how wide each is.
struct layout {
    std::vector<std::size_t> shown;
    std::vector<std::size_t> widths;

    std::size_t total() const {
        if (shown.empty()) return 0;
        return std::accumulate(widths.begin(), widths.end(), gap * (shown.size() - 1));
    }
};

// Takes characters from the widest columns until it fits; whether it does.
bool squeeze(layout& to, const std::vector<column>& columns, std::size_t width) {
    while (to.total() > width) {
        std::optional<std::size_t> widest;
        for (std::size_t at = 0; at < to.shown.size(); ++at) {
            const bool may = to.widths[at] > least_of(columns[to.shown[at]], to.widths[at]);
            if (may && (!widest || to.widths[at] > to.widths[*widest])) widest = at;
        }
        if (!widest) return false;
        --to.widths[*widest];
    }
    return true;
}

std::optional<std::size_t> to_drop(const std::vector<std::size_t>& shown,
                                   const std::vector<column>& columns) {
    const auto rank = [&](std::size_t at) { return columns[at].drop; };
    const auto worst = std::ranges::max_element(shown, {}, rank);
    if (worst == shown.end() || rank(*worst) == 0) return std::nullopt;
    return static_cast<std::size_t>(worst - shown.begin());
}

layout fit(const std::vector<column>& columns, const std::vector<std::size_t>& natural, std::size_t width) {
    layout out;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        if (natural[at] > 0) out.shown.push_back(at);
    }
    for (;;) {
        out.widths.clear();
        for (const auto at : out.shown) out.widths.push_back(natural[at]);
        if (width == 0 || squeeze(out, columns, width)) return out;
        const auto drop = to_drop(out.shown, columns);
        if (!drop) return out;
        out.shown.erase(out.shown.begin() + static_cast<std::ptrdiff_t>(*drop));
    }
}

std::string line_of(const layout& how, const std::vector<column>& columns,
                    const std::vector<std::string>& cells, std::size_t width) {
    std::string line;
    for (std::size_t at = 0; at < how.shown.size(); ++at) {
        const auto of = how.shown[at];
        const auto cell = cut(cells[of], how.widths[at]);
        const std::string fill(how.widths[at] - width_of(cell), ' ');
        if (at > 0) line.append(gap, ' ');
        line += columns[of].right ? fill + cell : cell + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return (width == 0 ? line : cut(line, width)) + '\n';
}

}  // namespace

void table::add(std::vector<std::string> cells) {
    for (auto& cell : cells) cell = plain(cell);
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

// Of the widest cell, the title included; 0 for a column without content.
std::vector<std::size_t> table::natural() const {
    std::vector<std::size_t> widths(columns_.size(), 0);
    for (std::size_t at = 0; at < columns_.size(); ++at) {
        for (const auto& row : rows_) widths[at] = std::max(widths[at], width_of(row[at]));
        if (widths[at] > 0 || rows_.empty()) widths[at] = std::max(widths[at], width_of(columns_[at].title));
    }
    return widths;
}

std::string table::text(std::size_t width) const {
    const auto how = fit(columns_, natural(), width);
    std::vector<std::string> titles;
    for (const auto& one : columns_) titles.push_back(one.title);
    std::string out = line_of(how, columns_, titles, width);
    for (const auto& row : rows_) out += line_of(how, columns_, row, width);
    return out;
}

}  // namespace errand::cli
