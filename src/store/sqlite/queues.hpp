// Places in queues: where a task that is free to run stands, who is woken for it, and when a worker looks again.
#pragma once

#include "store/sqlite/groups.hpp"

namespace errand::sqlite {

class queues {
public:
    queues(transaction& of, groups& groups) : tx_{of}, sql_{of.sql}, groups_{groups} {}

    // What a call has made ready wakes those who wait for it when the call ends.
    void enter();
    void wake_freed();
    // And what it has let go on.
    void wake_let_go();

    // At once or at a time: the list and the place of a task that becomes free to run. `body`: encoded, of one that has no row or
    // another one yet.
    std::pair<list_row*, std::int64_t> free_place(queue_row& queue, int priority,
                                                  std::optional<std::int64_t> due,
                                                  std::optional<group_number> group, const task_id& id,
                                                  std::string_view body = {});
    // The same at once, before those of its priority that have come by themselves.
    std::pair<list_row*, std::int64_t> place_in_front(queue_row& queue, int priority,
                                                      std::optional<group_number> group, const task_id& id);
    // It is not there any more.
    void left(const list_row& list, std::optional<group_number> group, std::int64_t place) {
        groups_.left(list, group, place);
    }
    void became_ready(queue_row& queue) { ++freed_[queue.name]; }
    // One that waits for its time is the first of its queue now.
    void came_to_be_first(queue_row& queue);
    // Whether a task that is about to wait until then will be the first of its queue.
    bool falls_before(queue_row& queue, std::int64_t due);

    void wake(std::string_view queue, std::size_t most);
    bool any_ready(queue_row* queue);
    std::optional<std::int64_t> earliest(queue_row& queue);
    std::optional<time_point> next_look(std::span<const std::string> of);
    // When the caller's process looks at what is due then: exactly, if it is the one that does.
    std::int64_t turn_of(idle_workers::timekeeper& keeper, std::int64_t due);

    // ---- calls ----
    void busy(std::span<const std::string> of);
    void leave(std::span<const std::string> of);
    bool pause(std::string_view queue);
    bool resume(std::string_view queue);

private:
    bool is_alive(std::string_view worker);
    // Before all that became ready less than its head start before it.
    std::int64_t place_ahead(queue_row& queue, const task_id& id, std::string_view body);
    std::optional<std::int64_t> first_after(const list_row& ready, time_point order);
    std::optional<std::int64_t> last_before(const list_row& ready, std::int64_t place);
    std::int64_t make_room(const list_row& ready, std::int64_t before, std::int64_t after);
    list_row& ready_list(queue_row& queue, std::int64_t place, std::optional<group_number> group,
                         const task_id& id);

    transaction& tx_;
    statements& sql_;
    groups& groups_;
    std::map<std::string, std::size_t, std::less<>> freed_;      // by queue: tasks that became ready
    std::map<std::string, std::int64_t, std::less<>> earliest_;  // by queue, of those looked at
};

// The process that a worker's connection belongs to: its name without the number of the connection.
std::string_view process_of(std::string_view name);

}  // namespace errand::sqlite
