// Who is who in a trial so long that the system gives a number of a process again.
#include "trial/judgement.hpp"

#include <algorithm>
#include <map>

namespace trial {
namespace {

using fault_test::entry;

// No system counts its processes as far as this.
constexpr pid_t more_than_any = 1 << 22;

// When workers of one number were up, by number.
using arrivals = std::map<pid_t, std::vector<std::int64_t>>;

pid_t own_number(pid_t pid, std::int64_t when, const arrivals& seen) {
    const auto known = seen.find(pid);
    if (known == seen.end()) return pid;
    const auto before = std::ranges::upper_bound(known->second, when) - known->second.begin();
    return before < 2 ? pid : pid + static_cast<pid_t>(before - 1) * more_than_any;
}

}  // namespace

void tell_apart(std::vector<entry>& lines, chronicle& happened) {
    arrivals seen;
    for (const auto& line : lines) {
        if (line.what == "up") seen[line.pid].push_back(line.when);
    }
    std::erase_if(seen, [](const auto& one) { return one.second.size() < 2; });
    for (auto& line : lines) line.pid = own_number(line.pid, line.when, seen);
    for (auto& one : happened.deaths) one.pid = own_number(one.pid, one.when, seen);
    for (auto& one : happened.leavings) one.pid = own_number(one.pid, one.when, seen);
    for (auto& one : happened.stops) one.pid = own_number(one.pid, one.from, seen);
    const auto late_clocks = happened.late_clocks;
    for (const auto& [pid, late] : late_clocks) {
        const auto known = seen.find(pid);
        if (known == seen.end()) continue;
        for (const auto when : known->second)
            happened.late_clocks.insert_or_assign(own_number(pid, when, seen), late);
    }
}

}  // namespace trial
