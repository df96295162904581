// Whether a gate (core/gates.hpp) lets a task through now, and what passing it and leaving it make of its state. Pure.
//
// Invariant: of those who pass only where it is open, never more than max_running hold a gate and run, and never more start in any time
// of its rate than that allows.
#pragma once

#include <errand/limit.hpp>

#include "core/gates.hpp"
#include "core/rate_gate.hpp"

#include <cstdint>
#include <string_view>

namespace errand {

// Of one key of a limit, whatever holds to it.
struct gate_state {
    std::int64_t running = 0;
    std::int64_t kept = 0;  // of its rate, ns (core/rate_gate.hpp)
    // It says no more than one that nobody has passed yet.
    bool is_fresh(std::int64_t now) const noexcept { return running <= 0 && kept <= now; }
};

struct gate_look {
    enum class standing : std::uint8_t {
        open,
        full,      // so many run: open when one of them has ended
        too_soon,  // open at `opens_at`, unless it is full then
    };
    standing how = standing::open;
    std::int64_t opens_at = 0;  // ns since 1970
    bool open() const noexcept { return how == standing::open; }
};

constexpr gate_kind kind_of_gate(std::string_view gate) noexcept {
    return static_cast<gate_kind>(gate.front());
}
constexpr std::string_view limit_of_gate(std::string_view gate) noexcept { return gate.substr(1, 8); }
// What it shares with gates of other kinds: limit and key.
constexpr std::string_view place_of_gate(std::string_view gate) noexcept { return gate.substr(1); }
constexpr bool counts_running(gate_kind kind) noexcept { return kind != gate_kind::starts; }
constexpr bool counts_starts(gate_kind kind) noexcept { return kind != gate_kind::running; }

// Any of gates that stand one after the other does.
bool any_counts_running(std::string_view gates) noexcept;

// Its spacing is a whole number, so that starts one by one are as many as at once.
rate_pace pace_of_gate(const rate_limit& rate, arrival how = arrival::punctual);
// `now` in ns since 1970.
gate_look look_at_gate(gate_kind kind, const limit_rule& rule, const gate_state& state, std::int64_t now,
                       arrival how = arrival::punctual);
// What is kept is brought down to what the rule can have left behind: when the rule is another one than before, or the clock went
// back. A gate that is closed must have that done where it is looked at, or its opening would move on with the clock. True when
// it changes.
bool settle_gate(gate_kind kind, const limit_rule& rule, gate_state& state, std::int64_t now,
                 arrival how = arrival::punctual);
// Of one that is open.
void pass_gate(gate_kind kind, const limit_rule& rule, gate_state& state, std::int64_t now,
               arrival how = arrival::punctual);
void leave_gate(gate_kind kind, gate_state& state);

// Who left a gate without having ended comes back: it is counted at once, so that none that has not started goes before it, and runs
// when there is room; until then it stands in line. `in_line`: how many of those that are counted do. What has started is
// finished, one after the other, also behind a gate that was closed since.
bool may_run_again(gate_kind kind, const limit_rule& rule, const gate_state& state,
                   std::int64_t in_line) noexcept;
void return_to_gate(gate_kind kind, gate_state& state);

}  // namespace errand
