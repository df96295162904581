#include "trial/admissions.hpp"

#include "trial/limit_kinds.hpp"
#include "trial/store_clock.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <utility>

namespace trial {

using fault_test::entry;

// Workers die and stand still, and a start is decided by the store, before the journal hears of it. What can be proved all the
// same:
//
// An attempt whose report the store took held its claim, and so its places, from the claim until then. Of such attempts alone no
// more are in the handler at once than the limit allowed when the last of them was claimed. What became of others, whose worker
// died or which lost their lease, is not looked at: their places may be another's by then.
//
// The number of a claim, which the journal has as the attempt's fence, is the time of that claim by the store's clock (us),
// which is the clock that rates go by: delays between claim and start, and jumps ahead, do not count. Where the clock was set back
// numbers only count on from the last claim before, however long ago that was, until it has caught up: windows over that time are
// left out.
//
// Who waits first starts first, of a key of which one runs at a time: one producer submits one after the other, and numbers of
// claims grow. A task whose first attempt was lost with its worker had its turn before.
//
// A task does not wait for longer than others may (lateness.hpp) while nothing stirs under its limits. Of what is limited at run time
// each shard has a share, which a shard that is away keeps: over several shards nothing is said of how long its tasks wait.
//
// When the store is emptied limits are gone with it, until a worker declares them again: nothing is said of the time after.
namespace {

constexpr std::int64_t clock_rounding = 100;
constexpr std::int64_t not_yet = INT64_MAX;
// Of the numbers of claims that were made while the clock had not caught up, ms.
constexpr std::int64_t counted_on = 2000;

struct admission {
    std::string task{};
    std::string where{};
    pid_t pid = 0;
    std::uint64_t fence = 0;
    std::int64_t entered = 0;
    std::int64_t left = not_yet;
    std::int64_t claimed_after = 0;  // by the monotonic clock
};

// Of one task by one process.
struct told_attempts {
    std::vector<std::size_t> places{};
    std::size_t taken = 0, not_taken = 0;  // reports
    bool all_taken() const { return not_taken == 0 && taken == places.size(); }
};

struct limited_task {
    std::string where{};
    pid_t producer = 0;
    std::int64_t accepted = not_yet;
    bool cancelled = false, has_end = false;
};

struct first_attempt {
    int attempt = 0;
    std::uint64_t fence = 0;
    std::int64_t when = 0;
};

struct change_of_rule {
    std::int64_t called = 0;
    std::int64_t answered = not_yet;
    int most = 0;
};

// Numbers above the last one before the clock was set back (us), until it has caught up (ms).
struct counting {
    std::uint64_t from = 0;
    std::int64_t to = 0;
};

struct one_limit {
    limit_bound rule{};
    std::vector<const admission*> held{};  // with a claim that was not lost
    std::vector<std::uint64_t> starts{};   // us by the store's clock
    std::vector<std::int64_t> stirs{};
};

class limits_judge {
public:
    limits_judge(const endings& ended, const chronicle& happened, const lateness& late, judgement& found)
        : ended_{ended}, late_{late}, found_{found}, happened_{happened} {}

    void look_at(const std::vector<entry>& lines) {
        const auto& emptied = happened_.emptyings;
        for (const auto& line : lines) {
            until_ = std::max(until_, line.when);
            if (!emptied.empty() && line.when >= emptied.front()) break;
            read(line);
        }
        sort_out();
        for (auto& [name, one] : limits_) {
            check_running(one);
            check_starts(one);
        }
        check_order();
        for (const auto& [id, one] : tasks_) check_wait(id, one);
        for (const auto& one : happened_.limits_held) {
            found_.violate("limit_held", one.name + ": when all had ended " + std::to_string(one.running) +
                                             " ran and " + std::to_string(one.waiting) + " waited");
        }
    }

private:
    // ---- reading --------------------------------------------------------------------------------------

    void read(const entry& line) {
        const auto& what = line.what;
        if (what == "started") {
            firsts_.try_emplace(line.task, first_attempt{line.attempt, claim_of(line), line.when});
        } else if (what.starts_with("enters:")) {
            attempts_[{line.pid, what.substr(7)}].places.push_back(all_.size());
            all_.push_back({what.substr(7), line.task, line.pid, claim_of(line), line.when});
        } else if (what.starts_with("leaves:")) {
            leave(what.substr(7), line);
        } else if (what.starts_with("behind:")) {
            auto& one = tasks_[what.substr(7)];
            one.where = line.task;
            one.producer = line.pid;
        } else if (what == "accepted") {
            accept(line);
        } else if (what == "sets") {
            changes_[line.attempt] = {line.when, not_yet, static_cast<int>(line.fence)};
        } else if (what == "set") {
            changes_[line.attempt].answered = line.when;
        } else {
            hear_end(line);
        }
    }

    // Of several shards a fence says which, too.
    std::uint64_t claim_of(const entry& line) const { return line.fence / happened_.shards; }

    void leave(const std::string& task, const entry& line) {
        for (const auto at : attempts_[{line.pid, task}].places) {
            if (all_[at].fence == claim_of(line)) all_[at].left = line.when;
        }
    }

    void accept(const entry& line) {
        const auto at = tasks_.find(line.task);
        if (at == tasks_.end() || at->second.accepted != not_yet) return;
        at->second.accepted = line.when;
        in_order_.push_back(line.task);
    }

    void hear_end(const entry& line) {
        const auto& what = line.what;
        const bool ends = what == "success" || what == "dead";
        const bool taken = ends || what == "retry" || what == "snoozed";
        if (taken || what == "refused" || what == "given_back") {
            const auto at = attempts_.find({line.pid, line.task});
            if (at != attempts_.end()) ++(taken ? at->second.taken : at->second.not_taken);
        }
        const auto known = tasks_.find(line.task);
        if (known == tasks_.end()) return;
        known->second.has_end |= ends;
        known->second.cancelled |= what == "cancelled";
    }

    void sort_out() {
        for (const auto& back : settings_back(happened_)) {
            counting one{0, back.shown + counted_on};
            for (const auto& other : all_) {
                if (other.entered < back.when) one.from = std::max(one.from, other.fence);
            }
            counted_.push_back(one);
        }
        for (auto& one : all_) one.claimed_after = claimed_after(one.fence);
        for (const auto& one : all_) {
            for (auto& bound : bounds_of(one.where)) {
                auto& its = limits_[bound.name];
                its.rule = std::move(bound);
                its.stirs.push_back(one.entered);
                if (one.left != not_yet) its.stirs.push_back(one.left);
                if (!counts_on(one.fence)) its.starts.push_back(one.fence);
            }
        }
        found_.limited_starts += all_.size();
        for (const auto& [of, told] : attempts_) {
            if (!told.all_taken()) continue;
            for (const auto at : told.places) keep_held(all_[at]);
        }
        for (const auto& [number, one] : changes_) {
            auto& stirs = limits_["shared"].stirs;
            stirs.push_back(one.called);
            if (one.answered != not_yet) stirs.push_back(one.answered);
        }
        for (auto& [name, one] : limits_) std::ranges::sort(one.stirs);
        found_.limit_changes += changes_.size();
    }

    void keep_held(const admission& one) {
        if (one.left == not_yet) return;
        ++found_.limited_held;
        for (const auto& bound : bounds_of(one.where)) limits_[bound.name].held.push_back(&one);
    }

    // ---- clocks ---------------------------------------------------------------------------------------

    // It may not be the time of its claim, but count on from one before the clock was set back.
    bool counts_on(std::uint64_t fence) const {
        const auto shown = static_cast<std::int64_t>(fence / 1000);
        return std::ranges::any_of(counted_,
                                   [&](const auto& one) { return fence > one.from && shown <= one.to; });
    }

    std::int64_t claimed_after(std::uint64_t fence) const {
        if (counts_on(fence)) return 0;
        return first_shown(static_cast<std::int64_t>(fence / 1000), happened_) - clock_rounding;
    }

    // ---- rules ----------------------------------------------------------------------------------------

    // What the shared limit may have allowed in this time: each change, but those that another one followed before.
    std::pair<int, int> allowed(const limit_bound& of, std::int64_t from, std::int64_t to) const {
        if (of.name != "shared") return {of.most, of.most};
        std::int64_t last = 0;  // called last of those that were answered before
        for (const auto& [number, one] : changes_) {
            if (one.answered < from) last = std::max(last, one.called);
        }
        int least = INT_MAX, most = 0;
        const auto may_be = [&](int rule) {
            least = std::min(least, rule);
            most = std::max(most, rule);
        };
        if (last == 0) may_be(of.most);
        for (const auto& [number, one] : changes_) {
            if (one.called <= to && one.answered >= last) may_be(one.most);
        }
        return {least, most};
    }

    void check_running(one_limit& its) {
        if (its.rule.most == 0) return;
        std::ranges::sort(its.held, {}, &admission::entered);
        std::vector<const admission*> inside;
        for (const auto* one : its.held) {
            std::erase_if(inside, [&](const auto* other) { return other->left <= one->entered; });
            inside.push_back(one);
            std::int64_t last = 0;
            for (const auto* other : inside) last = std::max(last, other->claimed_after);
            const auto most = static_cast<std::size_t>(allowed(its.rule, last, one->entered).second);
            if (inside.size() == most) ++found_.limits_full;
            if (inside.size() <= most) continue;
            found_.violate("limit_exceeded", its.rule.name + ": " + one->task + " ran as one of " +
                                                 std::to_string(inside.size()) + ", and " +
                                                 std::to_string(most) + " may run at once");
        }
    }

    void check_starts(one_limit& its) {
        constexpr std::uint64_t second = 1'000'000, rounded = 1000;
        if (its.rule.per_second == 0) return;
        auto& all = its.starts;
        std::ranges::sort(all);
        const auto more = static_cast<std::size_t>(its.rule.per_second);
        for (std::size_t at = 0; at + more < all.size();) {
            const auto from = all[at], to = all[at + more];
            if (to - from + rounded >= second || was_set_back(from, to)) {
                ++at;
                continue;
            }
            found_.violate("rate_exceeded", its.rule.name + ": " + std::to_string(more + 1) + " starts in " +
                                                std::to_string((to - from) / 1000) + " ms, from claim " +
                                                std::to_string(from) + " on");
            at += more;
        }
    }

    bool was_set_back(std::uint64_t from, std::uint64_t to) const {
        return std::ranges::any_of(counted_, [&](const auto& one) {
            return to > one.from && static_cast<std::int64_t>(from / 1000) <= one.to;
        });
    }

    void check_order() {
        std::map<std::pair<pid_t, std::string>, std::pair<std::uint64_t, std::string>> last;
        for (const auto& id : in_order_) {
            const auto& its = tasks_[id];
            const auto first = firsts_.find(id);
            const bool of_key = its.where.find('/') != its.where.npos;
            if (!of_key || first == firsts_.end() || first->second.attempt != 1) continue;
            auto& before = last[{its.producer, its.where}];
            if (first->second.fence < before.first)
                found_.violate("out_of_order", its.where + ": " + id + " started before " + before.second +
                                                   ", which was submitted first");
            else
                before = {first->second.fence, id};
        }
    }

    void check_wait(const std::string& id, const limited_task& its) {
        const auto first = firsts_.find(id);
        const bool started = first != firsts_.end();
        const auto known = ended_.find(id);
        const bool cancelled = its.cancelled || (known != ended_.end() && known->second &&
                                                 known->second->state == errand::state::cancelled);
        if (its.accepted == not_yet || (!started && (cancelled || its.has_end))) return;
        const auto to = started ? first->second.when : until_;
        if (to - its.accepted <= starts_within) return;
        if (its.where == "spread" && happened_.shards > 1) return;
        const auto bounds = bounds_of(its.where);
        std::vector<std::int64_t> stirs{its.accepted, to};
        for (const auto& bound : bounds) {
            const auto& all = limits_[bound.name].stirs;
            const auto from = std::ranges::lower_bound(all, its.accepted);
            stirs.insert(stirs.end(), from, std::ranges::upper_bound(from, all.end(), to));
        }
        std::ranges::sort(stirs);
        for (std::size_t at = 1; at < stirs.size(); ++at)
            if (check_still(id, its, stirs[at - 1], stirs[at])) return;
    }

    // Nothing stirred between these.
    bool check_still(const std::string& id, const limited_task& its, std::int64_t from, std::int64_t to) {
        const auto by = late_.is_late(0, from, to);
        if (!by) return false;
        for (const auto& bound : bounds_of(its.where)) {
            if (bound.most > 0 && allowed(bound, from, to).first == 0) return false;
        }
        found_.violate("held_back", id + " waited at " + its.where + " for " + std::to_string(to - from) +
                                        " ms in which nothing happened there, although worker " +
                                        std::to_string(*by) + " had room");
        return true;
    }

    const endings& ended_;
    const lateness& late_;
    judgement& found_;
    const chronicle& happened_;
    std::vector<counting> counted_{};
    std::int64_t until_ = 0;
    std::vector<admission> all_{};
    std::map<std::pair<pid_t, std::string>, told_attempts> attempts_{};
    std::map<std::string, limited_task> tasks_{};
    std::vector<std::string> in_order_{};  // as they were accepted
    std::map<std::string, first_attempt> firsts_{};
    std::map<int, change_of_rule> changes_{};
    std::map<std::string, one_limit> limits_{};
};

}  // namespace

void check_limits(const std::vector<entry>& lines, const endings& ended, const chronicle& happened,
                  const lateness& late, judgement& found) {
    limits_judge{ended, happened, late, found}.look_at(lines);
}

}  // namespace trial
