// The limits of the trial: what the handlers under them declare, and the judge holds them to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trial {

// Of one limit, or of one key of it; 0: it does not limit that.
struct limit_bound {
    std::string name{};
    int most = 0;        // run at once
    int per_second = 0;  // starts
};

// Of the handler `limited_total`, all its tasks together.
inline constexpr int most_in_total = 3;
// Of `limited_keyed` and `limited_both`, for each key.
inline constexpr int most_of_key = 1;
inline constexpr int keys_of_limit = 4;
// Of `limited_rate`.
inline constexpr int starts_of_rate = 20;
// Declared by itself, for `limited_shared` and `limited_both`: this one is set at run time.
inline constexpr std::string_view shared_name = "trial-shared";
inline constexpr int most_of_shared = 4;
inline constexpr int starts_of_shared = 40;

// Set at run time alone, of the handler `limited_spread`, whose policy limits nothing: over several shards each has a share.
inline constexpr std::string_view spread_name = "handler:trial::limited_spread";
inline constexpr int most_of_spread = 6;

// `where`: as handlers and producers write it down; that of a key is followed by it: "keyed/2".
inline std::vector<limit_bound> bounds_of(const std::string& where) {
    const limit_bound shared{"shared", most_of_shared, starts_of_shared};
    if (where == "total") return {{where, most_in_total, 0}};
    if (where == "rate") return {{where, 0, starts_of_rate}};
    if (where == "shared") return {shared};
    if (where == "spread") return {{where, most_of_spread, 0}};
    if (where.starts_with("keyed/")) return {{where, most_of_key, 0}};
    if (where.starts_with("both/")) return {{where, most_of_key, 0}, shared};
    return {};
}

}  // namespace trial
