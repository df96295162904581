#include "trial/lateness.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace trial {
namespace {

// An attempt has its slot until then: it has left its handler, or the store has heard how it ended. (Of one that was cancelled
// the store is not told.)
constexpr std::array<std::string_view, 7> ends_of_attempts{"left", "success", "retry",     "snoozed",
                                                           "dead", "refused", "given_back"};

constexpr std::int64_t second_ms = 1000;

// Seconds in which a worker works off a backlog: what waits in it waits its turn, although each start takes a slot for a moment
// only. Others that start nothing meanwhile have no such excuse, nor has who starts one task again and again.
std::map<pid_t, std::set<std::int64_t>> seconds_of_backlog(const std::vector<fault_test::entry>& lines) {
    std::map<std::string_view, std::int64_t> accepted;
    std::map<pid_t, std::map<std::int64_t, std::set<std::string_view>>> had_waited;  // by second
    for (const auto& line : lines) {
        if (line.what == "accepted") accepted[line.task] = line.when;
        if (line.what != "started") continue;
        const auto since = accepted.find(line.task);
        if (since != accepted.end() && line.when - since->second > second_ms)
            had_waited[line.pid][line.when / second_ms].insert(line.task);
    }
    std::map<pid_t, std::set<std::int64_t>> all;
    for (const auto& [pid, by_second] : had_waited) {
        for (const auto& [at, tasks] : by_second) {
            if (tasks.size() > 2 * slots_of_worker) all[pid].insert(at);
        }
    }
    return all;
}

}  // namespace

lateness::lateness(const std::vector<fault_test::entry>& lines, const chronicle& happened,
                   const std::set<pid_t>& without) {
    serves_.resize(happened.shards);
    if (lines.empty()) return;
    service all;
    const auto end = lines.back().when;
    std::map<pid_t, std::set<std::string>> running;
    std::map<pid_t, std::int64_t> full;  // since when
    std::vector<std::pair<pid_t, span>> holes;
    for (const auto& line : lines) {
        if (line.what == "up" && !without.contains(line.pid)) all[line.pid].emplace_back(line.when, end);
        const bool over = std::ranges::find(ends_of_attempts, line.what) != ends_of_attempts.end();
        if (line.what != "started" && !over) continue;
        auto& tasks = running[line.pid];
        if (over)
            tasks.erase(line.task);
        else
            tasks.insert(line.task);
        const auto since = full.find(line.pid);
        if (tasks.size() >= slots_of_worker) {
            full.emplace(line.pid, line.when);
        } else if (since != full.end()) {
            holes.push_back({line.pid, {since->second, line.when}});
            full.erase(since);
        }
    }
    for (const auto& [pid, since] : full) holes.push_back({pid, {since, end}});
    for (const auto& one : happened.deaths) holes.push_back({one.pid, {one.when, end}});
    for (const auto& one : happened.leavings) holes.push_back({one.pid, {one.when, end}});
    for (const auto& one : happened.stops) holes.push_back({one.pid, {one.from, one.to}});
    for (const auto& [pid, hole] : holes) {
        const auto at = all.find(pid);
        if (at != all.end()) cut(at->second, hole);
    }
    backlogs_ = seconds_of_backlog(lines);
    for (auto& [pid, spans] : all) {
        for (const auto& one : happened.storms) cut(spans, {one.from, one.to});
        for (const auto& one : happened.pauses) cut(spans, {one.from, one.to});
    }
    std::ranges::fill(serves_, all);
    for (const auto& one : happened.misses) {
        for (auto& [pid, spans] : serves_.at(one.shard)) cut(spans, {one.from, one.to});
    }
    late_clocks_ = happened.late_clocks;
    for (const auto& one : happened.jumps) {
        if (one.by < 0) set_back_.push_back(one);
    }
    std::ranges::sort(set_back_, {}, &chronicle::jump::when);
}

void lateness::cut(std::vector<span>& from, span hole) {
    std::vector<span> left;
    for (const auto& one : from) {
        if (hole.second <= one.first || hole.first >= one.second) {
            left.push_back(one);
            continue;
        }
        if (one.first < hole.first) left.emplace_back(one.first, hole.first);
        if (hole.second < one.second) left.emplace_back(hole.second, one.second);
    }
    from = std::move(left);
}

std::optional<pid_t> lateness::is_late(std::size_t shard, std::int64_t ready, std::int64_t started,
                                       std::int64_t within) const {
    if (started - ready <= within) return std::nullopt;
    for (const auto& [pid, spans] : serves_.at(shard)) {
        const auto behind = late_clocks_.find(pid);
        const auto its = within + (behind == late_clocks_.end() ? 0 : behind->second);
        for (const auto& [from, to] : spans) {
            const span there{std::max(from, ready), std::min(to, started)};
            if (there.second - there.first - worked_off(pid, there) > its) return pid;
        }
    }
    return std::nullopt;
}

// How long of that.
std::int64_t lateness::worked_off(pid_t pid, span within) const {
    const auto at = backlogs_.find(pid);
    if (at == backlogs_.end()) return 0;
    std::int64_t all = 0;
    for (const auto second : at->second) {
        const auto from = std::max(second * second_ms, within.first);
        all += std::max<std::int64_t>(std::min((second + 1) * second_ms, within.second) - from, 0);
    }
    return all;
}

// As long as nobody had to have seen that it was due, a clock that is set back undoes it.
std::int64_t lateness::due_at_latest(std::int64_t since, std::int64_t due) const {
    for (const auto& one : set_back_) {
        if (one.over() >= since && one.when <= due + starts_within) due -= one.by;
    }
    return due;
}

std::set<pid_t> older_workers(const std::vector<fault_test::entry>& lines) {
    std::set<pid_t> all;
    for (const auto& line : lines) {
        if (line.what == "older") all.insert(line.pid);
    }
    return all;
}

}  // namespace trial
