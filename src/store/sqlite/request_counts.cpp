#include "store/sqlite/request_counts.hpp"

#include <algorithm>

namespace errand::sqlite {

std::string request_counts::count(const request_count& of) {
    auto& made = counted_[{tx_.ns(), of.name}];
    const std::int64_t per = of.per.count() * 1000;
    auto at = tx_.micros();
    // No two have one mark, and from a clock that was set back by more than that time counts anew.
    if (!made.empty() && made.back() - at > per) made.clear();
    if (!made.empty()) at = std::max(at, made.back() + 1);
    while (!made.empty() && made.front() <= at - per) made.pop_front();
    if (std::ssize(made) >= of.most) return {};
    made.push_back(at);
    return std::to_string(at);
}

void request_counts::take_back(const request_count& of, const std::string& mark) {
    auto& made = counted_[{tx_.ns(), of.name}];
    std::erase_if(made, [&](std::int64_t at) { return std::to_string(at) == mark; });
}

}  // namespace errand::sqlite
