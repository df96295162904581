#include "trial/judgement.hpp"

#include <errand/inspect.hpp>

#include "trial/site.hpp"

#include <algorithm>
#include <set>
#include <thread>

namespace trial {
namespace {

std::optional<ending> look_at(errand::app& app, const std::string& id) {
    const auto info = app.block_on(app.find(id));
    if (!info) return std::nullopt;
    ending its{.state = info->state, .handler = info->handler};
    if (const auto* result = info->result.if_object()) {
        if (const auto* fence = result->if_contains("fence")) its.fence = fence->to_number<std::uint64_t>();
    }
    return its;
}

endings look_at_all(errand::app& app, const std::set<std::string>& ids) {
    constexpr std::size_t lookers = 8;
    const std::vector<std::string> all{ids.begin(), ids.end()};
    std::vector<std::optional<ending>> found(all.size());
    std::vector<std::thread> threads;
    for (std::size_t from = 0; from < lookers; ++from) {
        threads.emplace_back([&, from] {
            for (auto at = from; at < all.size(); at += lookers) found[at] = look_at(app, all[at]);
        });
    }
    for (auto& one : threads) one.join();
    endings result;
    for (std::size_t at = 0; at < all.size(); ++at) result.emplace(all[at], std::move(found[at]));
    return result;
}

boost::json::object recovery(std::vector<std::int64_t> all) {
    boost::json::object told{{"count", all.size()}};
    if (all.empty()) return told;
    std::ranges::sort(all);
    const auto part = [&](std::size_t percent) { return all[(all.size() - 1) * percent / 100]; };
    told["p50"] = part(50);
    told["p99"] = part(99);
    told["max"] = all.back();
    const auto limit = lease.count() + 1000;
    told["over_lease_plus_1s"] = std::ranges::count_if(all, [&](auto ms) { return ms > limit; });
    return told;
}

template <class Map>
boost::json::object object_of(const Map& counts) {
    boost::json::object told;
    for (const auto& [name, count] : counts) told[name] = count;
    return told;
}

template <class Map>
void add_counts(Map& to, const Map& from) {
    for (const auto& [name, count] : from) to[name] += count;
}

}  // namespace

static_assert(starts_within == std::chrono::milliseconds{lease + std::chrono::seconds{6}}.count());

judgement judge(site& at) {
    // What was under way when the store was emptied may have been stored before.
    constexpr std::int64_t under_way = 500;
    const auto& emptied = at.happened.emptyings;
    const auto from = emptied.empty() ? 0 : emptied.back() + under_way;
    std::set<std::string> accepted;
    auto lines = at.book().entries();
    auto happened = at.happened;
    tell_apart(lines, happened);
    for (const auto& line : lines) {
        if (line.when < from) continue;
        if (line.what == "accepted") accepted.insert(line.task);
        if (line.what.starts_with("tick:")) accepted.insert(line.what.substr(5));
    }
    auto found = judge(lines, look_at_all(at.app(), accepted), happened);
    for (const auto& one : at.complaints) {
        found.violate("unexplained", one);
        found.words.insert(found.words.begin(), one);
    }
    const auto health = at.app().block_on(at.app().inspect().check());
    for (const auto& one : health.findings)
        found.violate("check: " + one.kind, one.subject + ": " + one.text);
    found.faults = at.faults;
    return found;
}

void judgement::add(judgement other) {
    accepted += other.accepted;
    finished += other.finished;
    lost += other.lost;
    double_accepted += other.double_accepted;
    executions += other.executions;
    stale_refused += other.stale_refused;
    recovered += other.recovered;
    stuck += other.stuck;
    late_starts += other.late_starts;
    others_due += other.others_due;
    others_in_time += other.others_in_time;
    outages += other.outages;
    outages_judged += other.outages_judged;
    ticks_run += other.ticks_run;
    ticks_missed += other.ticks_missed;
    ticks_skipped += other.ticks_skipped;
    limited_starts += other.limited_starts;
    limited_held += other.limited_held;
    limits_full += other.limits_full;
    limit_changes += other.limit_changes;
    batched += other.batched;
    batches += other.batches;
    stood_aside += other.stood_aside;
    stood_long += other.stood_long;
    violations += other.violations;
    add_counts(violated, other.violated);
    add_counts(faults, other.faults);
    add_counts(states, other.states);
    std::ranges::move(other.words, std::back_inserter(words));
    std::ranges::move(other.recovery_ms, std::back_inserter(recovery_ms));
}

boost::json::object to_json(const judgement& of) {
    boost::json::object told{{"accepted", of.accepted},
                             {"finished", of.finished},
                             {"lost", of.lost},
                             {"double_accepted", of.double_accepted},
                             {"executions", of.executions},
                             {"stale_refused", of.stale_refused},
                             {"recovered", of.recovered},
                             {"stuck", of.stuck},
                             {"late_starts", of.late_starts},
                             {"invariant_violations", of.violations},
                             {"faults", object_of(of.faults)},
                             {"ended", object_of(of.states)},
                             {"recovery_ms", recovery(of.recovery_ms)}};
    if (of.outages > 0) {
        told["others_while_one_was_away"] = boost::json::object{{"due", of.others_due},
                                                                {"in_time", of.others_in_time},
                                                                {"times", of.outages},
                                                                {"times_judged", of.outages_judged}};
    }
    if (of.ticks_run > 0) {
        told["ticks"] = boost::json::object{
            {"run", of.ticks_run}, {"missed", of.ticks_missed}, {"skipped", of.ticks_skipped}};
    }
    if (of.limited_starts > 0) {
        told["limits"] = boost::json::object{{"starts", of.limited_starts},
                                             {"held_to_the_end", of.limited_held},
                                             {"full", of.limits_full},
                                             {"changes", of.limit_changes}};
    }
    if (of.batched > 0) told["collected"] = boost::json::object{{"tasks", of.batched}, {"runs", of.batches}};
    if (of.stood_aside > 0)
        told["stood_aside"] = boost::json::object{{"tasks", of.stood_aside}, {"over_1s", of.stood_long}};
    if (!of.violated.empty()) told["violated"] = object_of(of.violated);
    return told;
}

}  // namespace trial
