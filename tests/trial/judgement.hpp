// What became of everything that was accepted: the journal, which is outside of the store, held against the store.
#pragma once

#include <errand/state.hpp>

#include "fault/journal.hpp"
#include "trial/chronicle.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trial {

class site;

// What is ready, of a queue that a worker with free slots serves, is started within its lease and 6 s.
inline constexpr std::int64_t starts_within = 1000 + 6000;
// What depends on others: whoever has taken the news of an end, and died, keeps it from the rest for ten seconds.
inline constexpr std::int64_t told_within = starts_within + 10'000;
inline constexpr std::size_t slots_of_worker = 20;

// How a task stands in the store.
struct ending {
    errand::state state = errand::state::ready;
    std::string handler{};
    std::uint64_t fence = 0;  // of the attempt whose result it has
};

struct judgement {
    std::size_t accepted = 0;
    std::size_t finished = 0;
    std::size_t lost = 0;             // the store does not know it
    std::size_t double_accepted = 0;  // tasks of which the store took more than one end
    std::size_t executions = 0;
    std::size_t stale_refused = 0;
    std::size_t recovered = 0;  // tasks taken over from a dead worker
    std::size_t stuck = 0;      // not ended
    std::size_t late_starts = 0;
    std::size_t others_due = 0;      // while a server was away, tasks of the others
    std::size_t others_in_time = 0;  // of them, started soon
    std::size_t outages = 0;         // times that one of several servers was away
    std::size_t outages_judged = 0;  // of them, in which nothing else struck
    std::size_t ticks_run = 0;       // of schedules
    std::size_t ticks_missed = 0;    // found due together with newer ones
    std::size_t ticks_skipped = 0;   // because a run had not ended
    std::size_t limited_starts = 0;  // under limits
    std::size_t limited_held = 0;    // of them, with a claim that was not lost
    std::size_t limits_full = 0;     // of these, began as the last that might run at once
    std::size_t limit_changes = 0;   // at run time
    std::size_t batched = 0;         // tasks that are collected
    std::size_t batches = 0;         // of them, runs that were accepted
    std::size_t stood_aside = 0;     // for workers that know their handler
    std::size_t stood_long = 0;      // of them, for over 1 s although one had room
    std::size_t violations = 0;
    std::map<std::string, std::size_t> violated{};  // of which kind
    std::vector<std::string> words{};               // the first of them
    std::vector<std::int64_t> recovery_ms{};        // after each death by SIGKILL, while the store was there
    std::map<std::string, int> faults{};
    std::map<std::string, std::size_t> states{};

    void violate(const std::string& kind, const std::string& text);
    void add(judgement other);
    // `may_lose`: what the store was told is taken back at times.
    bool good(bool may_lose) const;
};

// Pure. A number that the system gave to several workers, one after the other, becomes a number for each.
void tell_apart(std::vector<fault_test::entry>& lines, chronicle& happened);

using endings = std::map<std::string, std::optional<ending>>;

// Pure. `ended`: of all accepted tasks; nothing for one that the store does not know.
judgement judge(const std::vector<fault_test::entry>& lines, const endings& ended, const chronicle& happened);

// Asks the store for all that were accepted, and for a check-up of itself.
judgement judge(site& at);

boost::json::object to_json(const judgement& of);

}  // namespace trial
