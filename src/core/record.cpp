// The bytes of a task's notes and outcome; body_record.cpp has the body's. record.hpp names the fixed fields at their front that
// scripts read.
#include "core/record.hpp"

#include "core/bytes.hpp"
#include "core/record_bytes.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::size_t end_digits = 13;  // of ms: until the year 2286
constexpr int end_length = 4;           // bytes of the length of an outcome
constexpr std::size_t end_front = 1 + end_digits + end_length;

char letter_of(state ended_as) {
    switch (ended_as) {
    case state::success: return 's';
    case state::dead: return 'd';
    case state::cancelled: return 'c';
    case state::expired: return 'x';
    default: throw bad_data{"a task cannot end as " + std::string{to_string(ended_as)}};
    }
}

state state_of(std::uint8_t letter, const byte_reader& in) {
    switch (letter) {
    case 's': return state::success;
    case 'd': return state::dead;
    case 'c': return state::cancelled;
    case 'x': return state::expired;
    default: in.fail("does not say how the task ended");
    }
}

void write(const task_outcome& outcome, byte_writer& out) {
    out.u8(static_cast<std::uint8_t>(letter_of(outcome.ended_as)));
    out.fixed(six_bytes(outcome.unique_for.count()), 6);
    out.fixed(six_bytes(outcome.retention.count()), 6);
    // 0 stands for "never started": no task starts in 1970.
    out.fixed(outcome.started_at ? six_bytes(outcome.started_at->time_since_epoch().count()) : 0, 6);
    out.signed_number(outcome.attempts);
    out.text(outcome.worker);
    out.text(outcome.notes ? encode(*outcome.notes) : std::string{});
    out.rest(outcome.result);
}

void write(const schedule_wish& wish, byte_writer& out) {
    out.u8(static_cast<std::uint8_t>((wish.next_at ? 1 : 0) | (wish.stop ? 2 : 0) | (wish.args ? 4 : 0) |
                                     (wish.gates.empty() ? 0 : 8)));
    if (wish.next_at) out.signed_number(wish.next_at->time_since_epoch().count());
    if (wish.args) out.text(*wish.args);
    if (!wish.gates.empty()) out.text(wish.gates);
}

schedule_wish read_wish(byte_reader& in) {
    schedule_wish wish;
    const auto flags = in.u8();
    if (flags & 1) wish.next_at = time_of_ms(in.signed_number());
    wish.stop = (flags & 2) != 0;
    if (flags & 4) wish.args = in.text();
    if (flags & 8) wish.gates = in.text();
    return wish;
}

std::size_t size_hint(const task_outcome& outcome) {
    return 32 + outcome.worker.size() + outcome.result.size();
}

}  // namespace

std::string encode(const task_notes& notes) {
    std::string bytes;
    byte_writer out{bytes};
    out.u8(record_format);
    out.u8(static_cast<std::uint8_t>((notes.snoozed ? 1 : 0) | (notes.started_at ? 2 : 0) |
                                     (notes.revived ? 4 : 0) | (notes.wish ? 8 : 0) |
                                     (notes.ends_at ? 16 : 0) | (notes.flow ? 32 : 0) |
                                     (notes.locked > 0 ? 64 : 0) | (notes.sealed.empty() ? 0 : 128)));
    out.signed_number(notes.attempts);
    out.signed_number(notes.max_retry);
    out.signed_number(notes.lost_leases);
    out.signed_number(notes.unknown_handler);
    out.real(notes.progress);
    out.text(notes.progress_text);
    if (notes.started_at) out.signed_number(notes.started_at->time_since_epoch().count());
    out.text(notes.worker);
    // Errors and log lines are appended at the end: the newest are the last.
    const auto errors = std::min(notes.errors.size(), task_notes::max_errors);
    out.number(errors);
    for (auto at = notes.errors.size() - errors; at < notes.errors.size(); ++at) {
        const auto& error = notes.errors[at];
        out.signed_number(error.attempt);
        out.signed_number(error.at.time_since_epoch().count());
        out.text(error.type);
        out.text(error.message);
        out.signed_number(error.started_at ? error.started_at->time_since_epoch().count() : 0);
        out.text(error.worker);
    }
    const auto lines = std::min(notes.log.size(), task_notes::max_log_lines);
    out.number(lines);
    for (auto at = notes.log.size() - lines; at < notes.log.size(); ++at) out.text(notes.log[at]);
    if (notes.wish) write(notes.wish, out);
    if (notes.ends_at) out.signed_number(notes.ends_at->time_since_epoch().count());
    if (notes.flow) write(*notes.flow, out);
    if (notes.locked > 0) out.signed_number(notes.locked);
    if (!notes.sealed.empty()) out.text(notes.sealed);
    return bytes;
}

task_notes decode_notes(std::string_view bytes) {
    byte_reader in{bytes, "notes of a task"};
    check_format(in);
    task_notes notes;
    const auto flags = in.u8();
    notes.snoozed = (flags & 1) != 0;
    notes.revived = (flags & 4) != 0;
    notes.attempts = static_cast<int>(in.signed_number());
    notes.max_retry = static_cast<int>(in.signed_number());
    notes.lost_leases = static_cast<int>(in.signed_number());
    notes.unknown_handler = static_cast<int>(in.signed_number());
    notes.progress = in.real();
    notes.progress_text = in.text();
    if (flags & 2) notes.started_at = time_of_ms(in.signed_number());
    notes.worker = in.text();
    for (auto left = in.number(); left > 0; --left) {
        attempt_error error;
        error.attempt = static_cast<int>(in.signed_number());
        error.at = time_of_ms(in.signed_number());
        error.type = in.text();
        error.message = in.text();
        if (const auto started = in.signed_number()) error.started_at = time_of_ms(started);
        error.worker = in.text();
        notes.errors.push_back(std::move(error));
    }
    for (auto left = in.number(); left > 0; --left) notes.log.emplace_back(in.text());
    if (flags & 8) notes.wish = read_wish(in);
    if (flags & 16) notes.ends_at = time_of_ms(in.signed_number());
    if (flags & 32) notes.flow = read_flow_notes(in);
    if (flags & 64) notes.locked = static_cast<int>(in.signed_number());
    if (flags & 128) notes.sealed = in.text();
    return notes;
}

std::string encode(const task_outcome& outcome) {
    std::string bytes;
    bytes.reserve(size_hint(outcome));
    byte_writer out{bytes};
    write(outcome, out);
    return bytes;
}

std::string encode_end(const task_outcome& outcome, time_point finished_at, std::string_view body) {
    std::string bytes;
    bytes.reserve(end_front + size_hint(outcome) + body.size());
    byte_writer out{bytes};
    bytes.push_back('E');
    bytes.append(end_digits, '0');
    auto ms = std::max<std::int64_t>(finished_at.time_since_epoch().count(), 0);
    for (auto at = end_digits; at > 0; --at, ms /= 10) bytes[at] = static_cast<char>('0' + ms % 10);
    out.fixed(0, end_length);
    write(outcome, out);
    auto length = bytes.size() - end_front;
    for (auto at = end_front; at > 1 + end_digits; --at, length >>= 8U) {
        bytes[at - 1] = static_cast<char>(length & 0xffU);
    }
    out.rest(body);
    return bytes;
}

end_parts split_end(std::string_view bytes) {
    byte_reader in{bytes, "end of a task"};
    in.take(1);
    std::int64_t ms = 0;
    for (const char digit : in.take(end_digits)) ms = ms * 10 + (digit - '0');
    const auto length = in.fixed(end_length);
    const auto outcome = in.take(length);
    return {time_of_ms(ms), outcome, in.rest()};
}

task_outcome decode_outcome(std::string_view bytes) {
    byte_reader in{bytes, "outcome of a task"};
    task_outcome outcome;
    outcome.ended_as = state_of(in.u8(), in);
    outcome.unique_for = duration_of_ms(static_cast<std::int64_t>(in.fixed(6)));
    outcome.retention = duration_of_ms(static_cast<std::int64_t>(in.fixed(6)));
    if (const auto started = in.fixed(6)) outcome.started_at = time_of_ms(static_cast<std::int64_t>(started));
    outcome.attempts = static_cast<int>(in.signed_number());
    outcome.worker = in.text();
    if (const auto notes = in.text(); !notes.empty()) outcome.notes = decode_notes(notes);
    outcome.result = in.rest();
    return outcome;
}

bool retention_is_over(std::string_view encoded_outcome, time_point finished_at, time_point now) noexcept {
    constexpr std::size_t width = 6;
    if (encoded_outcome.size() < task_outcome::retention_offset + width) return false;
    std::int64_t retention = 0;
    for (const char c : encoded_outcome.substr(task_outcome::retention_offset, width))
        retention = retention << 8 | static_cast<unsigned char>(c);
    return now - finished_at >= duration{retention};
}

}  // namespace errand
