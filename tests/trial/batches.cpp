#include "trial/batches.hpp"

#include "trial/gathering.hpp"
#include "trial/lateness.hpp"
#include "trial/shard.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace trial {
namespace {

using fault_test::entry;

// One attempt of a carrier.
struct batch_run {
    std::set<int> items{}, unfit{};
    std::set<std::string> keys{};
    std::optional<std::size_t> listed{};  // so many items: who dies may not have written down all
    bool accepted = false;

    bool is_whole() const { return listed == items.size(); }
};

struct batch_item {
    std::string id{};
    std::int64_t accepted = 0;
    std::set<std::uint64_t> runs{};  // by fence, of those that were accepted and had nothing against it
};

class batches_judge {
public:
    batches_judge(const endings& ended, const chronicle& happened, const lateness& late, judgement& found)
        : ended_{ended}, happened_{happened}, late_{late}, found_{found} {}

    void read(const entry& line) {
        const auto& what = line.what;
        if (what == "gathers") {
            items_[line.attempt].id = line.task;
            items_[line.attempt].accepted = line.when;
        } else if (what.starts_with("batch:")) {
            auto& its = runs_[what.substr(6)][line.fence];
            its.items.insert(line.attempt);
            its.keys.insert(line.task);
            given_.emplace(line.attempt, line.fence);
            last_by_[{line.pid, what.substr(6)}] = line.fence;
            begun_.emplace(line.attempt, line.when);
        } else if (what.starts_with("listed:")) {
            runs_[what.substr(7)][line.fence].listed = static_cast<std::size_t>(line.attempt);
        } else if (what.starts_with("unfit:")) {
            runs_[what.substr(6)][line.fence].unfit.insert(line.attempt);
        } else if (what == "success") {
            const auto by = last_by_.find({line.pid, line.task});
            if (by != last_by_.end()) runs_[line.task][by->second].accepted = true;
        }
    }

    // The store was emptied, or the journal ends.
    void end(std::int64_t until) {
        for (const auto& [carrier, all] : runs_) check_carrier(carrier, all);
        for (const auto& [number, its] : items_) {
            if (!its.id.empty()) check_item(number, its, until);
        }
        items_.clear();
        runs_.clear();
        begun_.clear();
        given_.clear();
    }

private:
    using attempts = std::map<std::uint64_t, batch_run>;

    void check_carrier(const std::string& carrier, const attempts& all) {
        for (const auto& [fence, its] : all) {
            if (its.items.size() > most_in_batch)
                found_.violate("batch_too_large",
                               carrier + " ran " + std::to_string(its.items.size()) + " items");
            if (its.keys.size() > 1)
                found_.violate("batch_mixed",
                               carrier + " ran items of " + std::to_string(its.keys.size()) + " keys");
            const auto& first = all.begin()->second;
            if (its.is_whole() && first.is_whole() && its.items != first.items)
                found_.violate("batch_changed", carrier + " ran other items than in its first attempt");
            if (!its.accepted) continue;
            ++found_.batches;
            for (const auto number : its.items) {
                if (!its.unfit.contains(number)) items_[number].runs.insert(fence);
            }
        }
    }

    void check_item(int number, const batch_item& its, std::int64_t until) {
        ++found_.batched;
        if (its.runs.size() > 1)
            found_.violate("item_twice", its.id + " was in " + std::to_string(its.runs.size()) +
                                             " runs that were accepted");
        const auto known = ended_.find(its.id);
        const auto end = known == ended_.end() ? std::nullopt : known->second;
        if (end && end->state == errand::state::success && !given_.contains({number, end->fence}))
            found_.violate("item_unfounded", its.id + " has the result of no run that was given it");
        const auto at = begun_.find(number);
        const bool over = end && is_end(end->state);
        // Who began it may have died before that was written down.
        if (at == begun_.end() && over) return;
        const auto due = its.accepted + longest_gathering_ms;
        const auto ready = late_.due_at_latest(its.accepted, due);
        const auto to = at == begun_.end() ? until : at->second;
        const auto by = late_.is_late(shard_of_task(its.id, happened_.shards), ready, to);
        if (!by) return;
        ++found_.late_starts;
        found_.violate("late_start",
                       its.id + " was collected, and not run for " + std::to_string(to - ready) +
                           " ms after it had to be, although worker " + std::to_string(*by) + " had room");
    }

    const endings& ended_;
    const chronicle& happened_;
    const lateness& late_;
    judgement& found_;
    std::map<int, batch_item> items_{};                // by number
    std::map<std::string, attempts> runs_{};           // by carrier
    std::map<int, std::int64_t> begun_{};              // the first run of each number
    std::set<std::pair<int, std::uint64_t>> given_{};  // numbers and the fences of runs that had them
    std::map<std::pair<pid_t, std::string>, std::uint64_t> last_by_{};
};

}  // namespace

void check_batches(const std::vector<entry>& lines, const endings& ended, const chronicle& happened,
                   const lateness& late, judgement& found) {
    batches_judge its{ended, happened, late, found};
    auto emptied = happened.emptyings.begin();
    for (const auto& line : lines) {
        for (; emptied != happened.emptyings.end() && line.when >= *emptied; ++emptied) its.end(*emptied);
        its.read(line);
    }
    if (!lines.empty()) its.end(lines.back().when);
}

}  // namespace trial
