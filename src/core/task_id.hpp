// The identity of a task: 16 bytes, a UUID on the outside.
//
// A task without a biz_id gets a UUIDv7 (its first six bytes are the time it was submitted). A task with one gets an
// id derived from (handler identity, biz_id), so that the store finds a duplicate by the id alone.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

struct task_id {
    std::array<unsigned char, 16> bytes{};

    friend bool operator==(const task_id&, const task_id&) = default;
    friend auto operator<=>(const task_id&, const task_id&) = default;

    // The bytes as the store keeps them.
    std::string_view view() const noexcept {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    // Takes 16 raw bytes; nullopt when there are not 16.
    static std::optional<task_id> from_bytes(std::string_view raw) noexcept;
};

// A fresh UUIDv7 for a task submitted at `now_ms` (milliseconds since 1970). Those that a thread makes one after the other, within
// half a second, come in runs, each of which is kept by one shard: so many submissions are one call. In a millisecond the last three
// bytes count what this thread has made, from a start drawn by chance, and 50 more bits are random: two ids of one thread are
// never equal within 2^24, two of others as seldom as with the 74 random bits that a UUIDv7 may have.
task_id new_task_id(std::int64_t now_ms);
// How many ids such a run has at most.
inline constexpr std::size_t ids_in_a_row = 256;

// The id of the task with this biz_id; `identity` is the handler's oldest name. Same input, same id, everywhere.
task_id derive_task_id(std::string_view identity, std::string_view biz_id);

// What tells a task that a stage has submitted from all others.
struct child_origin {
    task_id parent;
    std::uint64_t life = 0;  // the parent's incarnation
    std::string_view stage;
    std::string_view identity;  // of the child's handler
    std::string_view args;
};

// The id of the n-th child of this origin.
task_id derive_child_id(const child_origin& of, std::uint64_t n);

// The id of the run that a schedule makes for a tick (milliseconds since 1970): whoever fires it, and however often, it is
// one run, in the schedule's own shard.
task_id derive_run_id(const task_id& schedule, std::int64_t tick_ms);

// Which of so many shards keeps what has this id: its last two bytes, big endian, modulo their number.
inline std::size_t shard_of_id(const task_id& id, std::size_t shards) noexcept {
    return (std::size_t{id.bytes[14]} * 256 + id.bytes[15]) % shards;
}
// An id that is kept where the other one is, however many shards there are; else it is the same.
task_id beside(task_id id, const task_id& other) noexcept;
// What is limited stands in the first of several shards.
inline constexpr std::size_t shard_of_limits = 0;
// An id of that shard, the same for the same id, and as good as a random one.
task_id in_first_shard(task_id id) noexcept;
// The carrier of the bundle that this item begins, under this claim of it: in the item's shard, and never the same again.
task_id derive_carrier_id(std::string_view bundle_key, const task_id& item, std::uint64_t claim);
// Whether an id is that of a carrier: no other has its version.
bool is_carrier(const task_id& id) noexcept;

// "0198c5d2-…": the text form shown to people.
std::string to_text(const task_id& id);

// Reads what to_text wrote (dashes optional, any case); nullopt when it is not an id.
std::optional<task_id> parse_task_id(std::string_view text) noexcept;

// The same, for what must be one. Throws usage_error, which begins with `where`.
task_id required_task_id(std::string_view text, std::string_view where = {});

}  // namespace errand

template <>
struct std::hash<errand::task_id> {
    std::size_t operator()(const errand::task_id& id) const noexcept {
        return std::hash<std::string_view>{}(id.view());
    }
};
