#include "service/lmstfy/request_rate.hpp"

#include <algorithm>

namespace errand::lmstfy {

std::optional<request_rate::clock::time_point> request_rate::take(const key& token, request_kind kind,
                                                                  const request_limit& limit,
                                                                  clock::time_point now) {
    const auto most = kind == request_kind::read ? limit.read : limit.write;
    if (most <= 0) return now;
    auto& times = taken_[token].at(static_cast<std::size_t>(kind));
    const std::chrono::seconds interval{limit.interval};
    while (!times.empty() && now - times.front() >= interval) times.pop_front();
    if (std::ssize(times) >= most) return std::nullopt;
    times.push_back(now);
    return now;
}

void request_rate::give_back(const key& token, request_kind kind, clock::time_point taken) {
    const auto at = taken_.find(token);
    if (at == taken_.end()) return;
    auto& times = at->second.at(static_cast<std::size_t>(kind));
    const auto one = std::ranges::find(times, taken);
    if (one != times.end()) times.erase(one);
}

void request_rate::forget(const key& token) { taken_.erase(token); }

}  // namespace errand::lmstfy
