// The gates of tasks: which are open, who holds them, and the limits behind them. What a call changes is written when it ends.
//
// Invariant: how many run behind a gate is how many rows of errand_slot name it; a row goes with the claim that made it. Of those
// who stand in line there (gates_in_line.cpp) it is a row, too: they are counted, and do not run.
#pragma once

#include "core/gate_rules.hpp"
#include "store/sqlite/transaction.hpp"

#include <set>

namespace errand::sqlite {

class gates {
public:
    explicit gates(transaction& of) : tx_{of}, sql_{of.sql} {}

    void enter();
    void write();
    void forget_limits() { limits_.clear(); }

    gate_look look(std::string_view gate);
    // Before a look in a call that writes.
    void settle(std::string_view gate);
    // Of gates that stand one after the other; empty: all are open.
    std::string_view first_closed(std::string_view all);
    std::vector<closed_gate> closed_of(std::string_view all);
    // At a gate that is open: what the next start makes of it.
    gate_look look_after_start(std::string_view gate);

    // By a task that starts: all are open.
    void take(std::string_view all, const task_id& id, claim_number by);
    // What no such claim holds is held by nobody.
    void free(const task_id& id, claim_number by);
    void free_all(claim_number by);
    void hand_on(const task_id& id, claim_number from, claim_number to);
    // The places (core/gate_rules.hpp) that somebody has left since this was asked last.
    std::set<std::string> take_left() { return std::exchange(left_, {}); }

    // ---- attempts that have waited for other tasks (gates_in_line.cpp) ----
    // One that gave its gates back holds them again. False: it stands in line there; asked again it may go on.
    bool come_back(std::string_view all, const task_id& id, claim_number by);
    // At a place that somebody has left, or at all of a limit of another rule: tells the workers of those who may run.
    void let_run_again(std::string_view place);
    void let_run_again_under(std::string_view limit);
    // How many stand in line at these places.
    std::int64_t in_line(std::string_view from, std::string_view to);

    // So many run there.
    void mend(std::string_view place, std::int64_t running);
    // Drops what says nothing any more, in steps.
    void sweep();

    // Now, in the unit of rates.
    std::int64_t nanos() const noexcept { return tx_.micros() * 1000; }
    // How those come who may start at some time, under rules that are set now.
    arrival how() const noexcept { return tx_.clock_stands_still() ? arrival::punctual : arrival::late; }

private:
    struct known_limit {
        std::string name;
        limit_rule rule;
        arrival how = arrival::punctual;
    };
    struct known_state : gate_state {
        bool changed = false;
    };
    // Null: nothing is known of it.
    const known_limit* limit_behind(std::string_view gate);
    known_state& state_of(std::string_view gate);
    void leave(std::string_view all);
    bool any_in_line();
    bool stands_in_line(const task_id& id, claim_number by);
    bool has_room(std::string_view all);
    void hold_again(std::string_view all, const task_id& id, claim_number by);
    void stand_in_line(std::string_view all, const task_id& id, claim_number by);

    transaction& tx_;
    statements& sql_;
    std::map<std::string, std::optional<known_limit>, std::less<>> limits_;
    std::map<std::string, known_state, std::less<>> states_;
    std::set<std::string> left_;
    std::string swept_;
};

}  // namespace errand::sqlite
