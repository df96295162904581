// The three records that a store keeps of a task, and their encoding.
//
//   task_body     what was submitted; written once, never changed        (store: `tasks`)
//   task_notes    what happened to it so far; exists only when needed    (store: `notes`)
//   task_outcome  how it ended; stands before the body, replaces the notes
//
// The bytes are the same in every store. Scripts look only at the fixed-width fields at the front, whose offsets are
// named below; everything else is opaque to them.
#pragma once

#include <errand/state.hpp>
#include <errand/time.hpp>

#include "core/flow_notes.hpp"
#include "core/task_id.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// Tells one life of an id from the next: submission time in ms << 16 | random bits. Never 0.
using incarnation = std::uint64_t;

// What becomes of a waiting task when one it depends on ends otherwise than by `success`.
enum class on_failed : std::uint8_t {
    cancel,  // it is cancelled; revived with the failed one
    wait,    // it waits until the failed one was revived and succeeded
    run,     // that counts as done
    gather,  // of a group: cancelled like `cancel`, but only when all have ended; never run: done when all succeeded
    bundle,  // of an item in a bundle: the end of the carrier is its own. In no body
};

// Of which schedule a task is a run.
struct run_origin {
    task_id schedule;
    std::string key{};        // of the schedule
    time_point tick{};        // that it was made for; of one made by hand: when
    std::int64_t missed = 0;  // ticks since the run before
    std::int64_t number = 0;  // 1 for the first run
    bool tells_end = false;   // the schedule is to hear of its end, however it ends
    friend bool operator==(const run_origin&, const run_origin&) = default;
};

// What a run asked of its schedule; it counts when the run is a success.
struct schedule_wish {
    std::optional<time_point> next_at{};
    bool stop = false;
    std::optional<std::string> args{};  // a JSON array
    std::string gates{};                // of runs with those
    explicit operator bool() const noexcept { return next_at || stop || args; }
    friend bool operator==(const schedule_wish&, const schedule_wish&) = default;
};

// In the place of a priority of 0 to 9: it has none, but a head start (core/head_start.hpp).
inline constexpr int ahead_priority = 10;

struct task_body {
    // Front, fixed: [0] format, [1] flags, [2] priority, and 128 when it has gates, [3..10] incarnation (big endian).
    static constexpr std::size_t incarnation_offset = 3;
    static constexpr std::size_t priority_offset = 2;
    static constexpr int gated_bit = 128;

    std::uint8_t priority = 0;  // or ahead_priority
    incarnation life = 0;
    std::string queue;
    std::string handler;
    std::string args;  // a JSON array, as text

    // Only what the submission overrode or added; the policy of the handler says the rest. What the store has to know without
    // it is here too, and marked: settings at run time go before it.
    std::optional<std::string> biz_id;
    std::optional<duration> timeout;
    std::optional<int> max_retry;
    std::optional<duration> expires_after;
    std::optional<duration> retention;
    bool policy_expires = false;       // `expires_after` is the handler's own
    bool policy_retains = false;       // `retention` is
    std::optional<time_point> due_at;  // when it was asked for a later time
    std::map<std::string, std::string> headers;
    std::vector<std::string> tags;
    std::vector<task_id> after;  // what it depends on
    on_failed rule = on_failed::cancel;
    bool takes_result = false;           // the result of the last one of `after` is its first argument
    std::optional<run_origin> origin{};  // of a run; it depends on nothing. lib_end.lua reads its end
    duration head_start{0};  // with ahead_priority alone, and never of a run; 6 bytes behind the arguments
    std::string gates{};     // as core/gates.hpp says; they stand behind all else

    time_point submitted_at() const noexcept {
        return time_point{duration{static_cast<std::int64_t>(life >> 16)}};
    }
    friend bool operator==(const task_body&, const task_body&) = default;
};

struct attempt_error {
    int attempt = 0;
    time_point at{};
    std::string type;
    std::string message;
    std::optional<time_point> started_at{};
    std::string worker{};  // who ran the attempt; empty when nobody could say
};

struct task_notes {
    int attempts = 0;         // attempts that count against max_retry
    int max_retry = 25;       // as the worker last saw it
    int lost_leases = 0;      // attempts that ended with a lost lease
    int unknown_handler = 0;  // claims by workers that do not know the handler
    int locked = 0;        // claims by workers that do not have the key of what it needs, one after the other
    bool snoozed = false;  // waits as `delayed`, not as `retry`
    bool revived = false;  // started again by a caller: cannot be late any more
    // Of a job (core/job_rules.hpp) that was started again: when it ends by itself; zero: never.
    std::optional<time_point> ends_at{};
    double progress = 0;
    std::string progress_text;
    std::optional<time_point> started_at;  // of the last attempt that ended
    std::string worker;                    // who ran that one
    std::vector<attempt_error> errors;     // newest kept, bounded by max_errors
    std::vector<std::string> log;          // newest kept, bounded by max_log_lines
    schedule_wish wish{};                  // of a run that has ended well
    std::optional<flow_notes> flow{};      // of one that goes from stage to stage
    std::string sealed{};                  // what texts of it stand for, as core/sealed_records.hpp says

    static constexpr std::size_t max_errors = 25;
    static constexpr std::size_t max_log_lines = 100;
};

struct task_outcome {
    // Front, fixed: [0] state letter, [1..6] unique_for ms, [7..12] retention ms, [13..18] started_at ms (big endian).
    static constexpr std::size_t unique_for_offset = 1;
    static constexpr std::size_t retention_offset = 7;

    state ended_as = state::success;  // success, dead, cancelled or expired
    duration unique_for{0};           // 0: does not hold its biz_id
    duration retention{0};
    std::optional<time_point> started_at;
    int attempts = 0;
    std::string worker;
    std::string result;               // JSON text; empty for void
    std::optional<task_notes> notes;  // errors, progress and log, when there were any
};

// What is left of a success that was deleted and goes on refusing duplicates: every other one took an attempt.
inline bool is_remnant(const task_outcome& outcome) noexcept {
    return outcome.ended_as == state::success && outcome.attempts == 0;
}

// The handler of groups, which no worker has: a group is never run. Its result stands for those of its members; its
// argument says how many of the tasks that it depends on are none.
inline constexpr std::string_view group_handler = "errand.group";
inline constexpr std::string_view group_result_mark = "\"errand.group\"";

std::string encode(const task_body& body);
std::string encode(const task_notes& notes);
std::string encode(const task_outcome& outcome);
// What is kept of a task that has ended: 'E', 13 digits (its end, ms), 4 bytes (length of the outcome), the outcome, the
// body as it came.
std::string encode_end(const task_outcome& outcome, time_point finished_at, std::string_view body);

// Each throws bad_data naming the record when the bytes are not such a record.
task_body decode_body(std::string_view bytes);
task_notes decode_notes(std::string_view bytes);
task_outcome decode_outcome(std::string_view bytes);

struct end_parts {
    time_point finished_at{};
    std::string_view outcome;
    std::string_view body;
};
end_parts split_end(std::string_view bytes);

// Whether a task that ended then with this encoded outcome is kept no longer.
bool retention_is_over(std::string_view encoded_outcome, time_point finished_at, time_point now) noexcept;

// Whether an encoded body names a biz_id, from which then its id was derived: it may be known already.
bool has_biz_id(std::string_view encoded_body) noexcept;

// Of which schedule an encoded body is a run; nullopt: of none. Whether that is to hear of each end.
std::optional<task_id> schedule_of(std::string_view encoded_body) noexcept;
bool tells_end(std::string_view encoded_body) noexcept;

// Where an encoded body has its arguments, and what these belong to. Throws bad_data when the bytes are no body.
struct args_in_body {
    std::string_view handler;
    std::string_view args;              // a part of the body
    std::optional<task_id> schedule{};  // of a run
};
args_in_body args_of(std::string_view encoded_body);
// The body with other arguments in the place of those.
std::string with_args(std::string_view encoded_body, const args_in_body& in, std::string_view args);

// Whose it is, without decoding the rest; empty when the bytes are no body.
std::string_view handler_in(std::string_view encoded_body) noexcept;

// 0..9 or ahead_priority, of an encoded body; 0 when it is too short to be one.
int priority_of(std::string_view encoded_body) noexcept;
// 0 when it has none.
duration head_start_of(std::string_view encoded_body) noexcept;
// As users know it: 0 of one with a head start.
constexpr int shown_priority(int priority) noexcept { return priority == ahead_priority ? 0 : priority; }

// The incarnation at the front of an encoded body, without decoding the rest; 0 when there is none.
incarnation incarnation_of(std::string_view encoded_body) noexcept;

}  // namespace errand
