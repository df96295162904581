// What became of the attempts of one handler, as workers sum it up, as the store adds it up, and as people see it. Pure.
#pragma once

#include <errand/figures.hpp>

#include "core/histogram.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace errand {

struct attempt_figures {
    std::int64_t runs = 0, failures = 0, dead = 0, lost = 0;
    histogram wait, run, total;
    void merge(const attempt_figures& other) noexcept;
};

using figures_by_handler = std::map<std::string, attempt_figures, std::less<>>;

// One number of a handler: which, and how much is added to it. Only those that are not 0 are told.
struct handler_count {
    std::string handler;
    int what = 0;
    std::int64_t times = 0;
};

std::vector<handler_count> counts_of(const figures_by_handler& all);
// What a later version counts is passed over.
void add_count(figures_by_handler& to, const handler_count& one);

handler_figures shown(std::string handler, const attempt_figures& of);

}  // namespace errand
