#include "trial/standing.hpp"

#include "trial/lateness.hpp"
#include "trial/shard.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace trial {
namespace {

// What is usual, while a worker that knows the handler has room. A busy machine may take longer, for all of a burst: of many
// only, and of most of them, it is held against the trial.
constexpr std::int64_t usually_within = 1000;
constexpr std::size_t many = 200;

struct aside_story {
    std::set<pid_t> put_by{};             // the store has their word
    bool untaken = false;                 // claimed by who does not know it, and not started since
    std::optional<std::int64_t> since{};  // it stands aside, as far as the journal tells
};

class standing {
public:
    standing(const std::vector<fault_test::entry>& lines, const chronicle& happened, judgement& found)
        : shards_{happened.shards}, late_{lines, happened, older_workers(lines)}, found_{found} {}

    void read(const fault_test::entry& line) {
        if (line.what == "strange") {
            auto& its = all_[line.task];
            its.untaken = true;
            if (its.put_by.contains(line.pid))
                found_.violate("strange_again", line.task + " was taken again by worker " +
                                                    std::to_string(line.pid) +
                                                    ", which does not know its handler");
            return;
        }
        const auto known = all_.find(line.task);
        if (known == all_.end()) return;
        auto& its = known->second;
        if (line.what == "aside") {
            its.put_by.insert(line.pid);
            // Somebody may have started it before its worker heard the store's answer.
            if (its.untaken && !its.since) its.since = line.when;
        } else if (line.what == "started") {
            its.untaken = false;
            taken(line.task, its, line.when);
        } else if (line.what == "cancelled") {
            its.untaken = false;
            its.since.reset();
        }
    }

    void end(const endings& ended, std::int64_t when) {
        for (auto& [id, its] : all_) {
            const auto at = ended.find(id);
            // Whoever started or cancelled it may have died before the journal was told.
            const bool over = at != ended.end() && at->second && is_end(at->second->state);
            if (!over) taken(id, its, when);
        }
        if (found_.stood_aside >= many && found_.stood_long * 2 > found_.stood_aside)
            found_.violate("aside_slowly",
                           std::to_string(found_.stood_long) + " of " + std::to_string(found_.stood_aside) +
                               " tasks stood aside for over " + std::to_string(usually_within) +
                               " ms although a worker that knows their handler had room");
    }

private:
    void taken(const std::string& id, aside_story& its, std::int64_t when) {
        if (!its.since) return;
        const auto since = *its.since;
        its.since.reset();
        ++found_.stood_aside;
        const auto shard = shard_of_task(id, shards_);
        if (late_.is_late(shard, since, when, usually_within)) ++found_.stood_long;
        const auto by = late_.is_late(shard, since, when);
        if (!by) return;
        found_.violate("left_aside", id + " stood aside for " + std::to_string(when - since) +
                                         " ms, although worker " + std::to_string(*by) +
                                         ", which knows its handler, had room");
    }

    const std::size_t shards_;
    const lateness late_;
    judgement& found_;
    std::map<std::string, aside_story> all_{};
};

}  // namespace

void check_standing(const std::vector<fault_test::entry>& lines, const endings& ended,
                    const chronicle& happened, judgement& found) {
    // What an emptied store has forgotten may be submitted, and claimed, anew.
    if (lines.empty() || !happened.emptyings.empty()) return;
    standing its{lines, happened, found};
    for (const auto& line : lines) its.read(line);
    its.end(ended, lines.back().when);
}

}  // namespace trial
