#include "trial/steadiness.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace trial {
namespace {

constexpr std::int64_t soon_ms = 3000;
constexpr std::size_t fewest_ticks = 20;
constexpr double kept_share = 0.9;
// A machine that is busy with something else is no slower because a server is away: what counts is how it was just before.
constexpr std::int64_t before_ms = 20'000;

struct steady_tick {
    std::size_t shard = 0;
    std::int64_t due = 0;
    bool in_time = false;
};

struct share_in_time {
    std::size_t in_time = 0;
    std::size_t all = 0;
    void count(const steady_tick& one) {
        ++all;
        in_time += one.in_time ? 1U : 0U;
    }
    double value() const { return all == 0 ? 1 : static_cast<double>(in_time) / static_cast<double>(all); }
};

std::vector<steady_tick> ticks_of(const std::vector<fault_test::entry>& lines) {
    std::map<std::string, std::int64_t> started;
    for (const auto& line : lines) {
        if (line.what == "started") started.emplace(line.task, line.when);
    }
    std::vector<steady_tick> all;
    for (const auto& line : lines) {
        if (line.what != "due") continue;
        const auto due = static_cast<std::int64_t>(line.fence);
        const auto at = started.find(line.task);
        all.push_back({static_cast<std::size_t>(line.attempt), due,
                       at != started.end() && at->second - due <= soon_ms});
    }
    return all;
}

// For so long after a worker's death, or its end, tasks may start late because of that: what it held is to be taken over.
constexpr std::int64_t after_death_ms = 2000;

// No worker was struck, nor the store as a whole, from here to there.
bool workers_were_well(std::int64_t from, std::int64_t to, const chronicle& happened) {
    const auto meets = [&](const auto& other) {
        return from <= other.to + after_death_ms && other.from <= to;
    };
    const auto falls_into = [&](const chronicle::death& one) {
        return from <= one.when + after_death_ms && one.when <= to;
    };
    return std::ranges::none_of(happened.storms, meets) && std::ranges::none_of(happened.stops, meets) &&
           std::ranges::none_of(happened.deaths, falls_into) &&
           std::ranges::none_of(happened.leavings, falls_into);
}

// Nothing was wrong with any server or worker while it was to start.
bool undisturbed(const steady_tick& one, const chronicle& happened) {
    const auto meets = [&](const auto& other) {
        return one.due <= other.to && other.from <= one.due + soon_ms;
    };
    return workers_were_well(one.due, one.due + soon_ms, happened) &&
           std::ranges::none_of(happened.misses, meets);
}

// Nothing else struck meanwhile: whatever the tasks of the others suffer is its doing.
bool struck_alone(const chronicle::outage& one, const chronicle& happened) {
    const auto is_another = [&](const chronicle::outage& other) {
        return other.shard != one.shard && one.from <= other.to && other.from <= one.to;
    };
    return workers_were_well(one.from, one.to, happened) && std::ranges::none_of(happened.misses, is_another);
}

}  // namespace

void check_steadiness(const std::vector<fault_test::entry>& lines, const chronicle& happened,
                      judgement& found) {
    const auto ticks = ticks_of(lines);
    for (const auto& outage : happened.outages) {
        share_in_time usual, disturbed, others;
        for (const auto& one : ticks) {
            const bool just_before = one.due + soon_ms < outage.from && one.due >= outage.from - before_ms;
            if (just_before) (undisturbed(one, happened) ? usual : disturbed).count(one);
            if (one.shard != outage.shard && one.due >= outage.from && one.due + soon_ms <= outage.to)
                others.count(one);
        }
        ++found.outages;
        found.others_in_time += others.in_time;
        found.others_due += others.all;
        // Where workers are killed as well, those that are left start late whoever is away.
        if (!struck_alone(outage, happened)) continue;
        ++found.outages_judged;
        if (usual.all < fewest_ticks) usual = disturbed;
        // Of too few nothing can be said: producers that are held up themselves must not pass for it.
        if (others.all >= fewest_ticks && others.value() >= kept_share * usual.value()) continue;
        found.violate("held_up", "while server " + std::to_string(outage.shard) + " was away, " +
                                     std::to_string(others.in_time) + " of " + std::to_string(others.all) +
                                     " tasks of the others were started within " + std::to_string(soon_ms) +
                                     " ms");
    }
}

}  // namespace trial
