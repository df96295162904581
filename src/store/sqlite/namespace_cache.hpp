// What stands once for many tasks of a namespace, as it is in the transaction under way: its numbers, queues and lists.
// Counters are changed here and written once, before the commit.
#pragma once

#include "core/record.hpp"
#include "store/sqlite/statements.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

namespace errand::sqlite {

// The kind of a list is the number of its state; what is left of a success that still holds its biz_id is none.
using list_kind = int;
inline constexpr list_kind remnants = 9;
constexpr list_kind kind_of(state where) { return static_cast<list_kind>(where); }
constexpr bool is_ended(list_kind kind) { return kind >= kind_of(state::success); }

struct queue_row;

// Places of ready tasks: a band for each priority, the higher the earlier; ranks count them.
inline constexpr std::int64_t band_of_places = std::int64_t{1} << 56;
// Between two that follow each other: there is room for some that have a head start.
inline constexpr std::int64_t places_apart = std::int64_t{1} << 14;
constexpr int rank_of(int priority) { return 9 - std::clamp(shown_priority(priority), 0, 9); }
constexpr int rank_of_place(std::int64_t place) { return static_cast<int>(place / band_of_places); }
constexpr std::int64_t end_of_rank(int rank) { return (rank + 1) * band_of_places; }

// Of a list of delayed tasks that stand aside, `retention` is a number made of their handler and priority (aside.cpp); of
// one of ready tasks it is not 0 when they have gates (groups.hpp).
struct list_row {
    std::int64_t k = 0;
    queue_row* queue = nullptr;
    list_kind kind = 0;
    std::int64_t retention = 0;
    std::int64_t grown = 0;  // not yet written
    bool aside() const noexcept { return kind == kind_of(state::delayed) && retention != 0; }
    bool gated() const noexcept { return kind == kind_of(state::ready) && retention != 0; }
};

struct queue_row {
    std::int64_t k = 0;
    std::string name;
    std::optional<std::int64_t> paused;  // since then, ms
    queue_totals happened{};             // not yet written
    bool touched = false;
    std::map<std::pair<list_kind, std::int64_t>, list_row*> lists{};
};

class namespace_cache {
public:
    namespace_cache(connection& in, statements& sql, std::int64_t key) : in_{in}, sql_{sql}, k_{key} {}

    std::int64_t key() const noexcept { return k_; }
    // Reads what others may have changed; at the first use in a transaction.
    void read();
    bool is_read() const noexcept { return read_; }
    // At the end of a transaction: what was read is read again in the next one.
    void forget() noexcept { read_ = false; }
    // Writes what has changed; with the time of the transaction.
    void write(std::int64_t micros);

    queue_row* find_queue(std::string_view name);
    queue_row& queue(std::string_view name);
    // By its key; null when there is none.
    queue_row* find_queue_of(std::int64_t k);
    list_row* find_list(queue_row& of, list_kind kind, std::int64_t retention = 0);
    list_row& list(queue_row& of, list_kind kind, std::int64_t retention = 0);
    list_row& list_of(std::int64_t k);
    // Null when there is none.
    list_row* find_list_of(std::int64_t k);
    std::map<std::string, queue_row, std::less<>>& queues() noexcept { return queues_; }
    void drop_list(list_row& empty);
    // With its lists, all of them empty; nothing of it may be left to be written.
    void drop_queue(queue_row& empty);

    void grow(list_row& list, std::int64_t by);
    // So many tasks go from one to the other.
    void shift(list_row& from, list_row& to, std::int64_t by = 1);
    void count(queue_row& queue, std::int64_t queue_totals::* what, std::int64_t by = 1);
    void changed() { layout_ += 1, dirty_ = true; }

    // Before the first of a ready list, or behind its last one.
    std::int64_t front_place(int priority);
    std::int64_t back_place(int priority);
    // Numbers that grow.
    std::int64_t next_in_order();
    // How many tasks hold gates.
    std::int64_t slots() const noexcept { return slots_; }
    void grow_slots(std::int64_t by) { slots_ += by, dirty_ = true; }
    claim_number next_claim(std::int64_t micros);
    std::int64_t next_token();
    std::int64_t clock() const noexcept { return clock_; }
    // Another one after each change of what is set of handlers; 0: nothing was ever.
    std::int64_t settings() const noexcept { return settings_; }
    void settings_are(std::int64_t version) noexcept { settings_ = version; }

private:
    void read_layout();

    connection& in_;
    statements& sql_;
    std::int64_t k_;
    std::int64_t claim_ = 0, back_ = 0, front_ = 0, token_ = 0, layout_ = -1, clock_ = 0, slots_ = 0,
                 settings_ = 0;
    bool read_ = false;
    bool dirty_ = false;
    std::map<std::string, queue_row, std::less<>> queues_;
    std::unordered_map<std::int64_t, std::unique_ptr<list_row>> lists_;
    std::vector<list_row*> grown_;
    std::vector<queue_row*> touched_;
    queue_row* last_ = nullptr;  // found last
};

}  // namespace errand::sqlite
