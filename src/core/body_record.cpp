// The bytes of a task's body; record.hpp names the fixed fields at their front that scripts read.
#include "core/bytes.hpp"
#include "core/gates.hpp"
#include "core/record.hpp"
#include "core/record_bytes.hpp"

namespace errand {
namespace {

constexpr std::uint8_t format_linked = 2;  // of a body: what it depends on stands before the arguments
constexpr std::uint8_t format_run =
    3;  // of a body: of which schedule it is a run stands before the arguments and behind them
constexpr std::uint8_t format_ahead = 4;  // as linked, with a head start behind the arguments
constexpr char tells_end_mark = '!';
constexpr std::size_t id_width = 16;
constexpr int head_start_width = 6;

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
    origin.tick = time_of_ms(in.signed_number());
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

void write_gates(std::string_view gates, byte_writer& out) {
    out.rest(gates);
    out.u8(static_cast<std::uint8_t>(gates.size() / gate_width));
}

// The encoded body without what write_gates wrote.
std::string_view before_gates(std::string_view encoded_body) noexcept {
    const auto gates = gates_of(encoded_body);
    return gates.empty() ? encoded_body : encoded_body.substr(0, encoded_body.size() - gates.size() - 1);
}

// And without the head start before these.
std::string_view before_head_start(std::string_view encoded_body) {
    const auto ungated = before_gates(encoded_body);
    if (priority_of(encoded_body) != ahead_priority) return ungated;
    if (ungated.size() < head_start_width) byte_reader{{}, "task"}.fail("ends too early");
    return ungated.substr(0, ungated.size() - head_start_width);
}

}  // namespace

std::string encode(const task_body& body) {
    std::string bytes;
    bytes.reserve(32 + body.queue.size() + body.handler.size() + body.args.size() + body.gates.size());
    byte_writer out{bytes};
    const bool ahead = body.priority == ahead_priority;
    const bool linked = ahead || !body.after.empty() || body.rule == on_failed::gather;
    out.u8(body.origin ? format_run : ahead ? format_ahead : linked ? format_linked : record_format);
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
    if (ahead) out.fixed(static_cast<std::uint64_t>(body.head_start.count()), head_start_width);
    if (!body.gates.empty()) write_gates(body.gates, out);
    return bytes;
}

task_body decode_body(std::string_view bytes) {
    const auto gates = gates_of(bytes);
    byte_reader in{before_head_start(bytes), "task"};
    const auto kind = bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.front());
    const bool linked = kind == format_linked || kind == format_ahead, is_run = kind == format_run;
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
    body.head_start = head_start_of(bytes);
    body.life = in.fixed(8);
    body.queue = in.text();
    body.handler = in.text();
    if (flags & with_biz_id) body.biz_id = in.text();
    if (flags & with_timeout) body.timeout = duration_of_ms(in.signed_number());
    if (flags & with_max_retry) body.max_retry = static_cast<int>(in.signed_number());
    if (flags & with_expires_after)
        body.expires_after = duration_of_ms(in.marked_number(body.policy_expires));
    if (flags & with_retention) body.retention = duration_of_ms(in.marked_number(body.policy_retains));
    if (flags & with_due_at) body.due_at = time_of_ms(in.signed_number());
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
    byte_reader in{before_head_start(bytes), "task"};
    const auto kind = in.u8();
    const bool linked = kind == format_linked || kind == format_ahead;
    if (kind != record_format && !linked && kind != format_run)
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
    if (linked) {
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

duration head_start_of(std::string_view encoded_body) noexcept {
    const auto ungated = before_gates(encoded_body);
    if (priority_of(encoded_body) != ahead_priority || ungated.size() < head_start_width) return duration{0};
    std::int64_t length = 0;
    for (const char c : ungated.substr(ungated.size() - head_start_width))
        length = length << 8 | static_cast<unsigned char>(c);
    return duration{length};
}

incarnation incarnation_of(std::string_view encoded_body) noexcept {
    if (encoded_body.size() < task_body::incarnation_offset + 8) return 0;
    incarnation life = 0;
    for (const char c : encoded_body.substr(task_body::incarnation_offset, 8)) {
        life = life << 8 | static_cast<unsigned char>(c);
    }
    return life;
}

std::string_view handler_in(std::string_view encoded_body) noexcept {
    try {
        byte_reader in{encoded_body, "task"};
        in.take(task_body::incarnation_offset + 8);
        in.text();  // its queue
        return in.text();
    } catch (const bad_data&) {
        return {};
    }
}

}  // namespace errand
