// How many requests a token makes: never more than its limit says in any interval, however it begins. On the service's loop.
#pragma once

#include "service/lmstfy/token_record.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <optional>

namespace errand::lmstfy {

enum class request_kind : unsigned char { read, write };

class request_rate {
public:
    using clock = std::chrono::steady_clock;
    using key = std::array<unsigned char, 32>;

    // One request more, at this time. Nullopt: it is one too many; else what give_back() takes.
    std::optional<clock::time_point> take(const key& token, request_kind kind, const request_limit& limit,
                                          clock::time_point now);
    // It does not count.
    void give_back(const key& token, request_kind kind, clock::time_point taken);
    void forget(const key& token);

private:
    using times = std::deque<clock::time_point>;
    std::map<key, std::array<times, 2>> taken_;
};

}  // namespace errand::lmstfy
