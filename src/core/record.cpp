// The bytes of the three records; record.hpp names the fixed fields at their front that scripts read.
#include "core/record.hpp"

#include "core/bytes.hpp"
#include "core/gates.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::uint8_t format = 1;
constexpr std::uint8_t format_linked = 2;  // of a body: what it depends on stands before the arguments
constexpr std::uint8_t format_run =
    3;  // of a body: of which schedule it is a run stands before the arguments and behind them
constexpr char tells_end_mark = '!';
constexpr std::size_t id_width = 16;
constexpr std::size_t end_digits = 13;  // of ms: until the year 2286
constexpr int end_length = 4;           // bytes of the length of an outcome
constexpr std::size_t end_front = 1 + end_digits + end_length;

enum body_flag : std::uint8_t {
    with_biz_id = 1,
    with_timeout = 2,
    with_max_retry = 4,
    with_expires_after = 8,  // scripts/promote.lua reads this bit
    with_retention = 16,
    with_due_at = 32,
    with_headers = 64,
    with_tags = 128,
};

constexpr int takes_result_bit = 4;

std::uint8_t flags_of(const task_body& body) {
    int flags = 0;
    if (body.biz_id) flags |= with_biz_id;
    if (body.timeout) flags |= with_timeout;
    if (body.max_retry) flags |= with_max_retry;
    if (body.expires_after) flags |= with_expires_after;
    if (body.retention) flags |= with_retention;
    if (body.due_at) flags |= with_due_at;
    if (!body.headers.empty()) flags |= with_headers;
    if (!body.tags.empty()) flags |= with_tags;
    return static_cast<std::uint8_t>(flags);
}

// The fixed fields hold 48 bits of milliseconds: 8900 years. What is beyond either end is cut to it.
std::uint64_t six_bytes(std::int64_t ms) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(ms, 0, (std::int64_t{1} << 48) - 1));
}

duration duration_of(std::int64_t ms) { return duration{ms}; }
time_point time_of(std::int64_t ms) { return time_point{duration{ms}}; }

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

void check_format(byte_reader& in) {
    if (in.u8() != format) in.fail("has a format that this version of errand does not know");
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

// The schedule itself stands behind the arguments, where scripts find it.
void write(const run_origin& origin, byte_writer& out) {
    out.text(origin.key);
    out.signed_number(origin.tick.time_since_epoch().count());
    out.signed_number(origin.missed);
    out.signed_number(origin.number);
}

run_origin read_origin(byte_reader& in) {
    run_origin origin;
    origin.key = in.text();
    origin.tick = time_of(in.signed_number());
    origin.missed = in.signed_number();
    origin.number = in.signed_number();
    return origin;
}

// Takes what stands behind the arguments off them.
std::string_view read_schedule(std::string_view rest, run_origin& origin, const byte_reader& in) {
    constexpr auto width = id_width + 1;
    if (rest.size() < width) in.fail("ends too early");
    const auto behind = rest.substr(rest.size() - width);
    origin.tells_end = behind.front() == tells_end_mark;
    origin.schedule = *task_id::from_bytes(behind.substr(1));
    return rest.substr(0, rest.size() - width);
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
    if (flags & 1) wish.next_at = time_of(in.signed_number());
    wish.stop = (flags & 2) != 0;
    if (flags & 4) wish.args = in.text();
    if (flags & 8) wish.gates = in.text();
    return wish;
}

void write_gates(std::string_view gates, byte_writer& out) {
    out.rest(gates);
    out.u8(static_cast<std::uint8_t>(gates.size() / gate_width));
}

// The encoded body without what write_gates wrote.
std::string_view before_gates(std::string_view encoded_body) noexcept {
    const auto gates = gates_of(encoded_body);
    return gates.empty() ? encoded_body : encoded_body.substr(0, encoded_body.size() - gates.size() - 1);
}

std::size_t size_hint(const task_outcome& outcome) {
    return 32 + outcome.worker.size() + outcome.result.size();
}

}  // namespace

std::string encode(const task_body& body) {
    std::string bytes;
    bytes.reserve(32 + body.queue.size() + body.handler.size() + body.args.size() + body.gates.size());
    byte_writer out{bytes};
    const bool linked = !body.after.empty() || body.rule == on_failed::gather;
    out.u8(body.origin ? format_run : linked ? format_linked : format);
    out.u8(flags_of(body));
    out.u8(static_cast<std::uint8_t>(body.priority | (body.gates.empty() ? 0 : task_body::gated_bit)));
    out.fixed(body.life, 8);
    out.text(body.queue);
    out.text(body.handler);
    if (body.biz_id) out.text(*body.biz_id);
    if (body.timeout) out.signed_number(body.timeout->count());
    if (body.max_retry) out.signed_number(*body.max_retry);
    if (body.expires_after) out.marked_number(body.expires_after->count(), body.policy_expires);
    if (body.retention) out.marked_number(body.retention->count(), body.policy_retains);
    if (body.due_at) out.signed_number(body.due_at->time_since_epoch().count());
    if (!body.headers.empty()) {
        out.number(body.headers.size());
        for (const auto& [name, value] : body.headers) {
            out.text(name);
            out.text(value);
        }
    }
    if (!body.tags.empty()) {
        out.number(body.tags.size());
        for (const auto& tag : body.tags) out.text(tag);
    }
    if (body.origin) {
        write(*body.origin, out);
    } else if (linked) {
        out.u8(static_cast<std::uint8_t>(static_cast<int>(body.rule) |
                                         (body.takes_result ? takes_result_bit : 0)));
        out.number(body.after.size());
        for (const auto& id : body.after) bytes += id.view();
    }
    out.rest(body.args);
    if (body.origin) {
        out.u8(static_cast<std::uint8_t>(body.origin->tells_end ? tells_end_mark : '-'));
        out.rest(body.origin->schedule.view());
    }
    if (!body.gates.empty()) write_gates(body.gates, out);
    return bytes;
}

task_body decode_body(std::string_view bytes) {
    const auto gates = gates_of(bytes);
    byte_reader in{before_gates(bytes), "task"};
    const auto kind = bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.front());
    const bool linked = kind == format_linked, is_run = kind == format_run;
    if (linked || is_run) {
        in.u8();
    } else {
        check_format(in);
    }
    task_body body;
    const auto flags = in.u8();
    const auto priority = in.u8();
    if ((priority & task_body::gated_bit) != 0 && gates.empty()) in.fail("ends too early");
    body.priority = static_cast<std::uint8_t>(priority & ~task_body::gated_bit);
    body.gates = gates;
    body.life = in.fixed(8);
    body.queue = in.text();
    body.handler = in.text();
    if (flags & with_biz_id) body.biz_id = in.text();
    if (flags & with_timeout) body.timeout = duration_of(in.signed_number());
    if (flags & with_max_retry) body.max_retry = static_cast<int>(in.signed_number());
    if (flags & with_expires_after) body.expires_after = duration_of(in.marked_number(body.policy_expires));
    if (flags & with_retention) body.retention = duration_of(in.marked_number(body.policy_retains));
    if (flags & with_due_at) body.due_at = time_of(in.signed_number());
    if (flags & with_headers) {
        for (auto left = in.number(); left > 0; --left) {
            std::string name{in.text()};
            body.headers.insert_or_assign(std::move(name), std::string{in.text()});
        }
    }
    if (flags & with_tags) {
        for (auto left = in.number(); left > 0; --left) body.tags.emplace_back(in.text());
    }
    if (linked) {
        const auto how = in.u8();
        body.takes_result = (how & takes_result_bit) != 0;
        if (how >= 2 * takes_result_bit) in.fail("has a rule that this version of errand does not know");
        body.rule = static_cast<on_failed>(how & 3);
        for (auto left = in.number(); left > 0; --left) {
            const auto id = task_id::from_bytes(in.take(16));
            body.after.push_back(*id);
        }
    }
    if (is_run) body.origin = read_origin(in);
    const auto rest = in.rest();
    body.args = is_run ? read_schedule(rest, *body.origin, in) : rest;
    return body;
}

// Reads over all that stands before the arguments.
args_in_body args_of(std::string_view bytes) {
    byte_reader in{before_gates(bytes), "task"};
    const auto kind = in.u8();
    if (kind != format && kind != format_linked && kind != format_run)
        in.fail("has a format that this version of errand does not know");
    const auto flags = in.u8();
    if ((in.u8() & task_body::gated_bit) != 0 && gates_of(bytes).empty()) in.fail("ends too early");
    in.take(8);  // incarnation
    in.text();
    args_in_body found{.handler = in.text(), .args = {}};
    if (flags & with_biz_id) in.text();
    for (const auto flag : {with_timeout, with_max_retry, with_expires_after, with_retention, with_due_at}) {
        bool mark = false;
        if (flags & flag) in.marked_number(mark);
    }
    if (flags & with_headers) {
        for (auto left = in.number(); left > 0; --left) {
            in.text();
            in.text();
        }
    }
    if (flags & with_tags) {
        for (auto left = in.number(); left > 0; --left) in.text();
    }
    if (kind == format_linked) {
        if (in.u8() >= 2 * takes_result_bit) in.fail("has a rule that this version of errand does not know");
        for (auto left = in.number(); left > 0; --left) in.take(id_width);
    }
    run_origin origin;
    if (kind == format_run) origin = read_origin(in);
    const auto rest = in.rest();
    found.args = kind == format_run ? read_schedule(rest, origin, in) : rest;
    if (kind == format_run) found.schedule = origin.schedule;
    return found;
}

std::string with_args(std::string_view encoded_body, const args_in_body& in, std::string_view args) {
    const auto at = static_cast<std::size_t>(in.args.data() - encoded_body.data());
    std::string body;
    body.reserve(encoded_body.size() - in.args.size() + args.size());
    body.append(encoded_body.substr(0, at)).append(args);
    return body.append(encoded_body.substr(at + in.args.size()));
}

std::string encode(const task_notes& notes) {
    std::string bytes;
    byte_writer out{bytes};
    out.u8(format);
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
    if (flags & 2) notes.started_at = time_of(in.signed_number());
    notes.worker = in.text();
    for (auto left = in.number(); left > 0; --left) {
        attempt_error error;
        error.attempt = static_cast<int>(in.signed_number());
        error.at = time_of(in.signed_number());
        error.type = in.text();
        error.message = in.text();
        if (const auto started = in.signed_number()) error.started_at = time_of(started);
        error.worker = in.text();
        notes.errors.push_back(std::move(error));
    }
    for (auto left = in.number(); left > 0; --left) notes.log.emplace_back(in.text());
    if (flags & 8) notes.wish = read_wish(in);
    if (flags & 16) notes.ends_at = time_of(in.signed_number());
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
    return {time_of(ms), outcome, in.rest()};
}

task_outcome decode_outcome(std::string_view bytes) {
    byte_reader in{bytes, "outcome of a task"};
    task_outcome outcome;
    outcome.ended_as = state_of(in.u8(), in);
    outcome.unique_for = duration_of(static_cast<std::int64_t>(in.fixed(6)));
    outcome.retention = duration_of(static_cast<std::int64_t>(in.fixed(6)));
    if (const auto started = in.fixed(6)) outcome.started_at = time_of(static_cast<std::int64_t>(started));
    outcome.attempts = static_cast<int>(in.signed_number());
    outcome.worker = in.text();
    if (const auto notes = in.text(); !notes.empty()) outcome.notes = decode_notes(notes);
    outcome.result = in.rest();
    return outcome;
}

bool has_biz_id(std::string_view encoded_body) noexcept {
    return encoded_body.size() > 1 && (static_cast<unsigned char>(encoded_body[1]) & with_biz_id) != 0;
}

std::optional<task_id> schedule_of(std::string_view encoded_body) noexcept {
    if (encoded_body.empty() || static_cast<std::uint8_t>(encoded_body.front()) != format_run)
        return std::nullopt;
    const auto ungated = before_gates(encoded_body);
    if (ungated.size() <= id_width) return std::nullopt;
    return task_id::from_bytes(ungated.substr(ungated.size() - id_width));
}

bool tells_end(std::string_view encoded_body) noexcept {
    if (!schedule_of(encoded_body)) return false;
    const auto ungated = before_gates(encoded_body);
    return ungated[ungated.size() - id_width - 1] == tells_end_mark;
}

int priority_of(std::string_view encoded_body) noexcept {
    if (encoded_body.size() <= task_body::priority_offset) return 0;
    const auto byte = static_cast<unsigned char>(encoded_body[task_body::priority_offset]);
    return static_cast<int>(byte & ~task_body::gated_bit);
}

bool retention_is_over(std::string_view encoded_outcome, time_point finished_at, time_point now) noexcept {
    constexpr std::size_t width = 6;
    if (encoded_outcome.size() < task_outcome::retention_offset + width) return false;
    std::int64_t retention = 0;
    for (const char c : encoded_outcome.substr(task_outcome::retention_offset, width))
        retention = retention << 8 | static_cast<unsigned char>(c);
    return now - finished_at >= duration{retention};
}

incarnation incarnation_of(std::string_view encoded_body) noexcept {
    if (encoded_body.size() < task_body::incarnation_offset + 8) return 0;
    incarnation life = 0;
    for (const char c : encoded_body.substr(task_body::incarnation_offset, 8)) {
        life = life << 8 | static_cast<unsigned char>(c);
    }
    return life;
}

}  // namespace errand
