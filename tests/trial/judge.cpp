// The rules that a trial's journal is held against.
#include "trial/admissions.hpp"
#include "trial/batches.hpp"
#include "trial/judgement.hpp"
#include "trial/lateness.hpp"
#include "trial/shard.hpp"
#include "trial/standing.hpp"
#include "trial/steadiness.hpp"
#include "trial/ticks.hpp"
#include "trial/waits.hpp"

#include <algorithm>
#include <set>

namespace trial {

using errand::state;
using fault_test::entry;

namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);
constexpr std::size_t most_words = 20;

// What the journal says of one task; places are those of its lines.
struct story {
    std::size_t first_start = never;
    std::int64_t first_started = 0;
    std::map<pid_t, std::uint64_t> fence_of{};  // of the last attempt that a process began
    std::uint64_t last_fence = 0;
    pid_t last_by = 0;                                // who began the last attempt
    std::map<std::uint64_t, std::size_t> ended_at{};  // by fence
    std::optional<std::uint64_t> settled{};           // the fence of which an end was accepted
    std::vector<std::string> ends{};
    std::vector<std::string> parents{};
    std::map<std::string, std::uint64_t> kept{};  // stages, and the fence under which they were
    bool cancelled = false;
    std::size_t lives = 1;                                           // more when it was revived
    std::vector<std::uint64_t> closed{};                             // the last fence of each life before
    std::optional<std::pair<std::int64_t, std::int64_t>> delayed{};  // since when, for how long
    std::vector<std::int64_t> recovered{};
};

using stories = std::map<std::string, story>;

// Only the attempt under the last claim of a life may end a task. Whoever ended it may hear of that only when it has another
// life: the answer to the report was lost, or waited on a slow line.
void settle(story& its, const entry& line, judgement& found) {
    its.ends.push_back(line.what);
    const auto by = its.fence_of.find(line.pid);
    if (by == its.fence_of.end() || line.what == "cancelled") return;
    its.settled = by->second;
    if (std::erase(its.closed, by->second) > 0) return;
    // A store that has lost what it did may give a number again.
    const bool of_another = by->second == its.last_fence && line.pid != its.last_by;
    if (by->second < its.last_fence || of_another)
        found.violate("stale_accepted", line.task + " was ended by an attempt that another one had followed");
}

// A worker that was frozen goes on with what is another's by now, and finds its reports refused. What was claimed later
// than an accepted end, though, contradicts it.
void start(story& its, const entry& line, std::size_t at, judgement& found) {
    ++found.executions;
    its.fence_of[line.pid] = line.fence;
    if (line.fence >= its.last_fence) its.last_by = line.pid;
    its.last_fence = std::max(its.last_fence, line.fence);
    if (its.settled && line.fence > *its.settled && its.lives == 1)
        found.violate("started_again", line.task + " was started after its end was accepted");
    if (its.first_start != never) return;
    its.first_start = at;
    its.first_started = line.when;
}

// The same of a stage whose result was known to be stored.
void read_stage(story& its, const entry& line, judgement& found) {
    const auto number = line.what.substr(line.what.size() - 1);
    const auto kept = its.kept.find(number);
    if (line.what.starts_with("kept")) {
        its.kept.emplace(number, line.fence);
    } else if (kept != its.kept.end() && line.fence >= kept->second) {
        found.violate("stage_again", line.task + " ran its stage " + number + " again");
    }
}

void read_line(stories& all, const entry& line, std::size_t at, judgement& found) {
    auto& its = all[line.task];
    const auto& what = line.what;
    if (what == "started") {
        start(its, line, at, found);
    } else if (what == "ended") {
        its.ended_at.emplace(line.fence, at);
    } else if (what == "success" || what == "dead" || what == "cancelled") {
        settle(its, line, found);
        its.cancelled = its.cancelled || what == "cancelled";
    } else if (what == "refused") {
        ++found.stale_refused;
    } else if (what == "recovered") {
        its.recovered.push_back(line.when);
    } else if (what == "delayed") {
        its.delayed.emplace(static_cast<std::int64_t>(line.fence), line.attempt);
    } else if (what == "reviving") {
        ++its.lives;
        its.closed.push_back(its.last_fence);
    } else if (what.starts_with("needs:")) {
        its.parents.push_back(what.substr(6));
    } else if (what.starts_with("stage") || what.starts_with("kept")) {
        read_stage(its, line, found);
    }
}

// ---- rules ------------------------------------------------------------------------------------------

void check_ends(const std::string& id, const story& its, judgement& found) {
    if (its.ends.size() <= its.lives) return;
    ++found.double_accepted;
    const auto last = its.ends.size() - 1;
    found.violate("double_accepted", id + " ended as " + its.ends[last - 1] + " and as " + its.ends[last]);
}

state expected_of(const ending& its, const story& told) {
    if (told.cancelled) return state::cancelled;
    if (its.handler.ends_with("broken")) return state::dead;
    // Whoever asked for the end may have died before it was told.
    const bool may_be_cancelled = its.handler.ends_with("slow") || its.handler.starts_with("trial::limited_");
    if (may_be_cancelled && its.state == state::cancelled) return state::cancelled;
    return state::success;
}

void check_ending(const std::string& id, const ending& its, const story& told, judgement& found) {
    const auto name = std::string{to_string(its.state)};
    ++found.states[name];
    if (!is_end(its.state)) {
        ++found.stuck;
        found.violate("stuck", id + " (" + its.handler + ") is still " + name);
        return;
    }
    if (its.state != expected_of(its, told)) {
        found.violate("wrong_end", id + " (" + its.handler + ") ended as " + name);
        return;
    }
    ++found.finished;
    // Of what is collected its run says more.
    if (its.state == state::success && !its.handler.ends_with("gathered") &&
        !told.ended_at.contains(its.fence))
        found.violate("unfounded", id + " has the result of no attempt that ended");
}

// A child starts after the attempts whose results its parents have ended.
void check_order(const std::string& id, const story& its, const stories& all, const endings& ended,
                 judgement& found) {
    for (const auto& parent : its.parents) {
        const auto known = ended.find(parent);
        const auto told = all.find(parent);
        if (its.first_start == never || known == ended.end() || !known->second || told == all.end()) continue;
        const auto at = told->second.ended_at.find(known->second->fence);
        if (at != told->second.ended_at.end() && at->second > its.first_start)
            found.violate("too_early", id + " started before " + parent + " had ended");
    }
}

// By the store's clock, which may have jumped meanwhile.
void check_delay(const std::string& id, const story& its, const chronicle& happened, judgement& found) {
    constexpr std::int64_t rounding = 5;
    if (!its.delayed || its.first_start == never) return;
    const auto [since, delay] = *its.delayed;
    std::int64_t jumped = 0;
    for (const auto& one : happened.jumps) {
        if (one.over() + rounding >= since && one.when <= its.first_started + rounding && one.by > 0)
            jumped += one.by;
    }
    if (its.first_started + jumped + rounding < since + delay)
        found.violate("before_due", id + " started before it was due");
}

// A number is one submission's: more than one task of it is a submission made twice.
void check_numbers(const std::vector<entry>& lines, judgement& found) {
    std::map<int, std::string> of;
    for (const auto& line : lines) {
        if (line.what != "ended" || line.attempt == 0) continue;
        const auto [at, fresh] = of.emplace(line.attempt, line.task);
        if (!fresh && at->second != line.task)
            found.violate("submitted_twice", at->second + " and " + line.task + " are one submission");
    }
}

// store_timeout counts from the call.
void check_answers(const std::vector<entry>& lines, judgement& found) {
    constexpr std::uint64_t most_late = 2500;
    for (const auto& line : lines) {
        if (line.what == "overdue" && line.fence > most_late)
            found.violate("overdue", "submission " + std::to_string(line.attempt) + " was answered " +
                                         std::to_string(line.fence) + " ms after its store_timeout");
    }
}

// How long a process stood still between these.
std::int64_t stood_still(pid_t pid, std::int64_t from, std::int64_t to, const chronicle& happened) {
    std::int64_t sum = 0;
    for (const auto& one : happened.stops) {
        if (one.pid == pid) sum += std::max<std::int64_t>(0, std::min(to, one.to) - std::max(from, one.from));
    }
    return sum;
}

// A worker repeats a report until the store has taken or refused it. One that has heard a verdict of the same server on what
// it did long after has given it up.
void check_reports(const std::vector<entry>& lines, const chronicle& happened, judgement& found) {
    constexpr std::int64_t long_after = 2000;
    std::map<std::pair<pid_t, std::string>, std::int64_t> open;
    // When the last thing was done of which a verdict is known.
    std::map<std::pair<pid_t, std::size_t>, std::int64_t> settled;
    for (const auto& line : lines) {
        const std::pair key{line.pid, line.task};
        if (line.what == "ended") {
            open.insert_or_assign(key, line.when);
        } else if (line.what == "held" || line.what == "withdrawn") {
            // The trial keeps its answer back and kills the worker, which may take a while where all are busy; or the worker has
            // heard that the task is another's, or cancelled.
            open.erase(key);
        } else if (line.what == "success" || line.what == "refused" || line.what == "given_back") {
            const auto at = open.find(key);
            if (at == open.end()) continue;
            auto& last = settled[{line.pid, shard_of_task(line.task, happened.shards)}];
            last = std::max(last, at->second);
            open.erase(at);
        }
    }
    for (const auto& [of, since] : open) {
        const auto& [pid, task] = of;
        const auto last = settled[{pid, shard_of_task(task, happened.shards)}];
        if (last - since - stood_still(pid, since, last, happened) > long_after)
            found.violate("unsettled",
                          task + " was done by " + std::to_string(pid) + ", which gave up its report");
    }
}

// ---- recovery ---------------------------------------------------------------------------------------

// The store was there, and nobody else died who may have taken the tasks over.
bool calm(const chronicle::death& of, const chronicle& happened) {
    constexpr std::int64_t around = 2000;
    const auto when = of.when;
    const auto meets = [&](const auto& one) { return one.from - around <= when && when <= one.to; };
    const bool stormy =
        std::ranges::any_of(happened.storms, meets) || std::ranges::any_of(happened.misses, meets);
    const bool alone = std::ranges::none_of(happened.deaths, [&](const auto& one) {
        return one.pid != of.pid && when <= one.when && one.when <= when + around;
    });
    return alone && !stormy;
}

// How long after its worker's death each task came back that was in the middle.
void measure_recovery(const std::vector<entry>& lines, const stories& all, const chronicle& happened,
                      judgement& found) {
    std::map<pid_t, std::set<std::string>> open;
    for (const auto& line : lines) {
        if (line.what == "started")
            open[line.pid].insert(line.task);
        else if (line.what != "ended" && line.what != "left" && line.what != "recovered")
            open[line.pid].erase(line.task);
    }
    for (const auto& one : happened.deaths) {
        if (!calm(one, happened)) continue;
        for (const auto& task : open[one.pid]) {
            const auto told = all.find(task);
            if (told == all.end()) continue;  // the store was emptied since
            const auto& times = told->second.recovered;
            const auto at = std::ranges::find_if(times, [&](auto when) { return when >= one.when; });
            if (at != times.end()) found.recovery_ms.push_back(*at - one.when);
        }
    }
}

}  // namespace

void judgement::violate(const std::string& kind, const std::string& text) {
    ++violated[kind];
    const bool counted_apart = kind == "stuck" || kind == "double_accepted" || kind == "lost";
    if (!counted_apart) ++violations;
    if (words.size() < most_words) words.push_back(kind + ": " + text);
}

bool judgement::good(bool may_lose) const {
    const auto broken = [](const auto& one) {
        return one.first.starts_with("check") || one.first == "unexplained";
    };
    if (accepted == 0 || stuck > 0 || std::ranges::any_of(violated, broken)) return false;
    // What is taken back with the store happens again.
    return may_lose || (lost == 0 && double_accepted == 0 && violations == 0);
}

judgement judge(const std::vector<entry>& lines, const endings& ended, const chronicle& happened) {
    judgement found;
    stories all;
    const lateness late{lines, happened};
    auto emptied = happened.emptyings.begin();
    for (std::size_t at = 0; at < lines.size(); ++at) {
        if (emptied != happened.emptyings.end() && lines[at].when >= *emptied) {
            ++emptied;
            all.clear();
        }
        read_line(all, lines[at], at, found);
    }
    found.accepted = ended.size();
    for (const auto& [id, its] : ended) {
        if (its) {
            check_ending(id, *its, all[id], found);
        } else {
            ++found.lost;
            found.violate("lost", id + " was accepted, and the store does not know it");
        }
    }
    for (const auto& [id, its] : all) {
        check_ends(id, its, found);
        check_order(id, its, all, ended, found);
        check_delay(id, its, happened, found);
        found.recovered += its.recovered.empty() ? 0U : 1U;
    }
    check_waits(lines, ended, happened, late, found);
    check_batches(lines, ended, happened, late, found);
    check_numbers(lines, found);
    check_reports(lines, happened, found);
    check_answers(lines, found);
    check_steadiness(lines, happened, found);
    check_schedules(lines, ended, happened, found);
    check_limits(lines, ended, happened, late, found);
    check_standing(lines, ended, happened, found);
    measure_recovery(lines, all, happened, found);
    return found;
}

}  // namespace trial
