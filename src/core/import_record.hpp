// How far an import has come, as the store keeps it: beside what is set of handlers, under a name that no handler can have.
//
// A batch is sent, then this record is written. Who finds it goes on behind it: what it does not know of may have been sent
// already, and is sent again as the same tasks, since their ids and lives follow from the import's name, the line and `next_at`.
#pragma once

#include <errand/time.hpp>

#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "core/task_id.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

inline constexpr std::string_view import_record_front = "\x01import:";
// What no program holds in memory, and changes often: of a change nobody is told, and it does not count as something that is set.
inline bool is_kept_quietly(std::string_view name) noexcept {
    return name.starts_with(import_record_front) || name == shelf_record_name;
}

struct import_record {
    std::uint64_t stamp = 0;  // tells it from any other; stands first
    time_point began{};
    // Which file it is: its length in bytes (0: not known, as of a pipe) and the SHA-256 of its first MiB.
    std::uint64_t size = 0;
    std::string digest{};
    bool csv = false;
    // What was read so far, and what became of it.
    std::uint64_t offset = 0;
    std::uint64_t lines = 0;
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t rejected = 0;
    // The time of submission of the next tasks, and how many lines have it; zero: none of them has left.
    time_point next_at{};
    std::uint64_t next_count = 0;
    bool complete = false;

    friend bool operator==(const import_record&, const import_record&) = default;
};

std::string encode(const import_record& record);
// Passes over what a newer errand has added. Throws bad_data when the bytes are not such a record.
import_record decode_import(std::string_view bytes);

// The id of the task of this line, when it has no biz_id. Lines that stand together share a shard, and so a call.
task_id derive_import_id(std::string_view import, std::uint64_t line);
// The life of that task, submitted then.
incarnation import_life(time_point at, std::uint64_t line) noexcept;

}  // namespace errand
