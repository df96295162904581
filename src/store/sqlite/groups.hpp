// Groups: ready tasks of a queue with the same gates, which wait for their turn together.
//
// A group takes turns, or is parked at the first of its gates that was closed when its turn came. A stop is a gate with the groups
// of a queue that are parked there. Invariant, after every call: a stop has a group; its gate is closed, and then somebody
// looks when it is left or at `opens`, or one group was let go and has not had its turn yet. After that turn the stop is looked
// at again.
#pragma once

#include "core/fair_turns.hpp"
#include "store/sqlite/gates.hpp"

namespace errand::sqlite {

// The `retention` of the list of those ready tasks of a queue that have gates.
inline constexpr std::int64_t gated_list = 1;

using group_number = std::int64_t;
// Of an encoded body; nullopt: it has no gates.
std::optional<group_number> group_in(std::string_view queue, std::string_view encoded_body);

// One whose turn it is.
struct waiting_group {
    group_number number = 0;
    int rank = 0;
    std::int64_t turn = 0;
    std::int64_t since = 0;
    std::string via{};  // the gate that has let it go
};

class groups {
public:
    groups(transaction& of, gates& gates) : tx_{of}, sql_{of.sql}, gates_{gates} {}

    void enter();
    // What tasks that left and gates that were left have changed; to be done before a claim and at the end of a call.
    void settle();
    void write();
    // Whether a gate was left, or may have opened otherwise.
    bool take_opened() { return std::exchange(opened_, false); }
    // Queues in which groups take turns again.
    std::set<queue_row*> take_went_on() { return std::exchange(went_on_, {}); }

    // Queues of which somebody may go on earlier than it was known before.
    std::set<queue_row*> take_earlier() { return std::exchange(earlier_, {}); }

    void forget_went_on(queue_row& queue) { went_on_.erase(&queue); }
    void forget_earlier(queue_row& queue) { earlier_.erase(&queue); }

    // ---- tasks that wait ----
    list_row* find_list(queue_row& queue) {
        return tx_.cache().find_list(queue, kind_of(state::ready), gated_list);
    }
    list_row& list(queue_row& queue) { return tx_.cache().list(queue, kind_of(state::ready), gated_list); }
    // A task comes to it. Whether it takes turns.
    bool come(queue_row& queue, group_number group, std::int64_t place, const task_id& id);
    // One leaves this place, if it is one of a group.
    void left(const list_row& from, std::optional<group_number> group, std::optional<std::int64_t> place);

    // ---- turns ----
    void look_at_due(queue_row& queue);
    std::optional<waiting_group> first(queue_row& queue);
    // Whether a task without gates of the same priority goes first; then it counts as started.
    bool lets_plain_go_first(queue_row& queue, const waiting_group& group);
    // Its first task has: what is its first place now? nullopt: nothing is left.
    void started(queue_row& queue, const waiting_group& group, std::optional<std::int64_t> place);
    // When it opens by itself, if it does, ms.
    std::optional<std::int64_t> park(queue_row& queue, const waiting_group& group, std::string_view gate);
    // Of its gates, which are open, the one whose last place is kept for a group of a queue from which this call does not claim;
    // empty: it may start (groups_kept.cpp).
    std::string_view kept_gate(const waiting_group& group, std::string_view all,
                               std::span<const std::string> claims_from);
    // Parks it there, until somebody looks a second later.
    void stand_back(queue_row& queue, const waiting_group& group, std::string_view gate);
    void change_rank(queue_row& queue, const waiting_group& group, int rank);
    void drop(queue_row& queue, group_number group);
    bool any(queue_row& queue);

    // When a parked group may go on, ms.
    std::optional<std::int64_t> next_opening(queue_row& queue);
    // Lets a group go on that is parked there, if it may.
    void look_at(std::string_view gate, queue_row& queue);
    // How many tasks wait at gates of this limit.
    std::int64_t waiting_for(std::string_view limit);
    // Who they are, the gates with most tasks first.
    std::vector<gate_waiters> waiters_at(std::string_view limit, std::size_t most);
    void limit_changed(std::string_view limit);

private:
    struct stop_row {
        std::string gate;
        queue_row* queue;
        bool let_go;
    };
    // Where a group stands among all that wait at a gate: the smallest first.
    using order_at_gate = std::pair<int, std::int64_t>;  // rank, since
    struct parked_group {
        group_number number = 0;
        order_at_gate order{};
    };
    std::vector<stop_row> stops(std::string_view from, std::string_view to);
    // The one that this call has let go there, or would next; nullopt: none, or it cannot start.
    std::optional<order_at_gate> next_to_start(const stop_row& stop);
    // Nobody is parked there any more.
    void drop_stop(std::string_view gate, queue_row& queue);
    void tidy(queue_row& queue, group_number group);
    std::int64_t entry(queue_row& queue, int rank, std::int64_t own);
    std::optional<std::int64_t> opening_of(const gate_look& found) const;

    struct known_time : virtual_time {
        bool changed = false;
    };
    known_time& time_of(queue_row& queue, int rank);

    transaction& tx_;
    statements& sql_;
    gates& gates_;
    std::map<std::pair<std::int64_t, int>, known_time> times_;  // by queue and rank
    std::set<std::pair<queue_row*, group_number>> left_;
    std::set<queue_row*> went_on_, earlier_;
    std::map<std::pair<std::string, queue_row*>, parked_group> let_go_;  // in this call, by gate and queue
    std::map<std::string, order_at_gate, std::less<>> kept_;             // for whom, by gate
    bool opened_ = false;
};

}  // namespace errand::sqlite
