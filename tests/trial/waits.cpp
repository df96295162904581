#include "trial/waits.hpp"

#include "trial/lateness.hpp"
#include "trial/shard.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace trial {
namespace {

using fault_test::entry;

constexpr std::int64_t lease_ms = starts_within - 6000;
// A recovery that was told of so soon after a start is that of an attempt before, told late.
constexpr std::int64_t too_soon_for_recovery = lease_ms * 9 / 10;
// Until an attempt that was lost is tried again.
constexpr std::int64_t pause_after_recovery = 40;

// Nothing but a start is owed.
struct wait {
    const char* since = "";
    std::int64_t ready = 0;
    std::optional<std::int64_t> over{};  // when it was, if it was
};

// What the journal says of one task.
struct waiter {
    std::optional<std::int64_t> accepted{};
    std::optional<std::pair<std::int64_t, std::int64_t>> delayed{};  // since when, for how long
    std::vector<std::string> parents{};
    std::optional<std::int64_t> succeeded{};
    std::optional<std::int64_t> first_started{};
    std::int64_t last_started = 0;
    std::map<pid_t, std::uint64_t> fence_of{};  // of the last attempt that a process began
    std::uint64_t last_fence = 0;
    bool limited = false;
    bool strange = false;      // to somebody who has claimed it
    bool ended = false;        // in this life
    bool may_be_anew = false;  // it is being revived, and no start in that life is known
    bool cancelled = false;
    std::optional<wait> open{};
    std::vector<wait> closed{};

    void stop_waiting(std::int64_t when) {
        if (!open) return;
        open->over = when;
        closed.push_back(*std::exchange(open, std::nullopt));
    }
};

// A worker that its tasks are taken from.
struct strike {
    std::int64_t when = 0;
    pid_t pid = 0;
    bool died = false;
};

std::vector<strike> strikes_of(const chronicle& happened) {
    std::vector<strike> all;
    for (const auto& one : happened.deaths) all.push_back({one.when, one.pid, true});
    for (const auto& one : happened.stops) {
        if (one.to - one.from > lease_ms) all.push_back({one.from, one.pid, false});
    }
    std::ranges::sort(all, {}, &strike::when);
    return all;
}

class waits_judge {
public:
    waits_judge(const std::vector<entry>& lines, const endings& ended, const chronicle& happened,
                const lateness& late, judgement& found)
        : ended_{ended},
          happened_{happened},
          late_{late},
          older_{older_workers(lines)},
          knowing_{lines, happened, older_},
          found_{found},
          strikes_{strikes_of(happened)} {}

    void read(const entry& line) {
        for (; struck_ < strikes_.size() && strikes_[struck_].when <= line.when; ++struck_)
            lose_all_of(strikes_[struck_]);
        auto& its = all_[line.task];
        const auto& what = line.what;
        if (what == "started") {
            start(its, line);
        } else if (what == "success" || what == "dead" || what == "cancelled") {
            if (what == "success" && !its.succeeded) its.succeeded = line.when;
            its.cancelled = its.cancelled || what == "cancelled";
            its.ended = true;
            its.open.reset();
            running_[line.pid].erase(line.task);
        } else if (what == "retry" || what == "snoozed" || what == "given_back") {
            come_back(its, line);
        } else if (what == "refused") {
            running_[line.pid].erase(line.task);
        } else if (what == "recovered") {
            recover(its, line);
        } else if (what == "reviving") {
            its.ended = false;
            its.may_be_anew = true;
        } else if (what == "revived") {
            if (std::exchange(its.may_be_anew, false))
                its.open = wait{.since = "revived", .ready = line.when};
        } else {
            read_submission(its, line);
        }
    }

    // The store was emptied, or the journal ends.
    void end(std::int64_t when) {
        for (auto& [id, its] : all_) judge(id, its, when);
        all_.clear();
        running_.clear();
    }

private:
    void read_submission(waiter& its, const entry& line) {
        const auto& what = line.what;
        if (what == "accepted") {
            if (!its.accepted) its.accepted = line.when;
        } else if (what == "delayed") {
            its.delayed.emplace(static_cast<std::int64_t>(line.fence), line.attempt);
        } else if (what.starts_with("needs:")) {
            its.parents.push_back(what.substr(6));
        } else if (what.starts_with("behind:")) {
            all_[what.substr(7)].limited = true;
        } else if (what == "strange") {
            its.strange = true;
        }
    }

    void start(waiter& its, const entry& line) {
        its.fence_of[line.pid] = line.fence;
        its.last_fence = std::max(its.last_fence, line.fence);
        its.last_started = line.when;
        its.may_be_anew = false;
        if (!its.first_started) its.first_started = line.when;
        its.stop_waiting(line.when);
        running_[line.pid].insert(line.task);
    }

    static bool is_last_of(const waiter& its, pid_t by) {
        const auto at = its.fence_of.find(by);
        return at != its.fence_of.end() && at->second == its.last_fence;
    }

    // The store has it from who ran it. Another one may have started it before that one wrote so down.
    void come_back(waiter& its, const entry& line) {
        running_[line.pid].erase(line.task);
        if (!is_last_of(its, line.pid) || its.ended) return;
        const bool given = line.what == "given_back";
        const auto due = line.when + static_cast<std::int64_t>(line.fence);
        its.open =
            given ? wait{.since = "given back", .ready = line.when}
                  : wait{.since = line.what == "retry" ? "to be tried again" : "to be run after a snooze",
                         .ready = late_.due_at_latest(line.when, due)};
    }

    // It is claimed again while this is written down, and free soon after.
    void recover(waiter& its, const entry& line) {
        its.stop_waiting(line.when);
        if (its.ended || (its.first_started && its.last_started > line.when - too_soon_for_recovery)) return;
        const auto due = line.when + pause_after_recovery;
        its.open = wait{.since = "taken over", .ready = late_.due_at_latest(line.when, due)};
    }

    // The leases of all that it was in the middle of run out.
    void lose_all_of(const strike& by) {
        for (const auto& task : running_[by.pid]) {
            auto& its = all_[task];
            if (its.ended || its.open || !is_last_of(its, by.pid)) continue;
            its.open = wait{.since = "lost with the lease of its worker",
                            .ready = late_.due_at_latest(by.when, by.when + lease_ms)};
        }
        if (by.died) running_.erase(by.pid);
    }

    // When it could be started, as far as is known: what it depends on may have ended, and nobody lived to say so.
    std::optional<std::int64_t> first_ready(const waiter& its) const {
        auto ready = *its.accepted;
        if (its.delayed) {
            // Its submission may have been repeated until it was taken.
            const auto due = std::max(its.delayed->first, *its.accepted) + its.delayed->second;
            ready = late_.due_at_latest(its.delayed->first, due);
        }
        for (const auto& parent : its.parents) {
            const auto at = all_.find(parent);
            if (at == all_.end() || !at->second.succeeded) return std::nullopt;
            ready = std::max(ready, *at->second.succeeded);
        }
        return ready;
    }

    // Of several servers, that of each parent has to be there, too: it tells the task's own.
    bool parents_are_there(const waiter& its, std::int64_t ready, std::int64_t to) const {
        return std::ranges::all_of(its.parents, [&](const auto& parent) {
            return late_.is_late(shard_of_task(parent, happened_.shards), ready, to, told_within).has_value();
        });
    }

    void judge(const std::string& id, const waiter& its, std::int64_t until) {
        // What waits at a limit is looked at by itself.
        if (its.limited) return;
        for (const auto& one : its.closed) check(id, its, one, until, starts_within);
        const auto known = ended_.find(id);
        const auto end = known == ended_.end() ? std::nullopt : known->second;
        // Whoever cancelled or ended it may have died before the journal was told.
        const bool cancelled = its.cancelled || (end && end->state == errand::state::cancelled);
        const bool over = cancelled || its.ended || (end && is_end(end->state));
        // Of what nobody has submitted, as a run of what is collected, the end may not be known.
        const bool asked_for = its.accepted || known != ended_.end();
        if (its.open && !over && asked_for) check(id, its, *its.open, until, starts_within);
        if (!its.accepted || (!its.first_started && over)) return;
        const auto ready = first_ready(its);
        if (!ready) return;
        const bool told = its.parents.empty() || happened_.undivided;
        const auto to = its.first_started.value_or(until);
        if (!told && !parents_are_there(its, *ready, to)) return;
        const auto* since = !its.parents.empty() ? "free of what it depends on"
                            : its.delayed        ? "due"
                                                 : "ready";
        check(id, its, {since, *ready, its.first_started}, until, told ? starts_within : told_within);
    }

    void check(const std::string& id, const waiter& its, const wait& one, std::int64_t until,
               std::int64_t within) {
        const auto to = one.over.value_or(until);
        const auto shard = shard_of_task(id, happened_.shards);
        if (its.strange && older_was_struck(one.ready, to)) within = std::max(within, told_within);
        const auto by = (its.strange ? knowing_ : late_).is_late(shard, one.ready, to, within);
        if (!by) return;
        ++found_.late_starts;
        found_.violate("late_start", id + (one.over ? " was started " : " was not started for ") +
                                         std::to_string(to - one.ready) + " ms after it was " + one.since +
                                         ", although worker " + std::to_string(*by) + " had room");
    }

    // Whoever does not know a handler may take its task first, and be gone before it has told the store so.
    bool older_was_struck(std::int64_t from, std::int64_t to) const {
        const auto falls_into = [&](const chronicle::death& one) {
            return older_.contains(one.pid) && from - lease_ms <= one.when && one.when <= to;
        };
        const auto meets = [&](const chronicle::stop& one) {
            return older_.contains(one.pid) && one.from <= to && from <= one.to;
        };
        return std::ranges::any_of(happened_.deaths, falls_into) ||
               std::ranges::any_of(happened_.leavings, falls_into) ||
               std::ranges::any_of(happened_.stops, meets);
    }

    const endings& ended_;
    const chronicle& happened_;
    const lateness& late_;
    const std::set<pid_t> older_;  // workers that lack a handler
    const lateness knowing_;       // of all others
    judgement& found_;
    const std::vector<strike> strikes_;
    std::size_t struck_ = 0;
    std::map<std::string, waiter> all_{};
    std::map<pid_t, std::set<std::string>> running_{};
};

}  // namespace

void check_waits(const std::vector<entry>& lines, const endings& ended, const chronicle& happened,
                 const lateness& late, judgement& found) {
    waits_judge its{lines, ended, happened, late, found};
    auto emptied = happened.emptyings.begin();
    for (const auto& line : lines) {
        for (; emptied != happened.emptyings.end() && line.when >= *emptied; ++emptied) its.end(*emptied);
        its.read(line);
    }
    if (!lines.empty()) its.end(lines.back().when);
}

}  // namespace trial
