#include "core/schedule_record.hpp"

#include "core/bytes.hpp"
#include "core/hex.hpp"
#include "core/sha256.hpp"

namespace errand {
namespace {

constexpr std::uint8_t schedule_format = 1;

enum record_flag : std::uint8_t {
    with_begin = 1,
    with_end = 2,
    with_max_runs = 4,
    with_next = 8,
    with_queued = 16,
    with_last_tick = 32,
    pauses_on_dead = 64,
    next_is_chosen = 128,
};
// Beside the state.
constexpr int first_shard = 128;

void write(const std::optional<time_point>& at, byte_writer& out) {
    if (at) out.instant(*at);
}
std::optional<time_point> read(bool there, byte_reader& in) {
    return there ? std::optional{in.instant()} : std::nullopt;
}

// Of one of `count` enumerators.
template <class Enum>
Enum enumerator(int value, int count, byte_reader& in) {
    if (value >= count) in.fail("has a word that this version of errand does not know");
    return static_cast<Enum>(value);
}
template <class Enum>
Enum read_enum(byte_reader& in, int count) {
    return enumerator<Enum>(in.u8(), count, in);
}

}  // namespace

std::string encode(const schedule_record& record) {
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(record.stamp, 8);
    out.rest(record.last_run.view());
    out.u8(schedule_format);
    const auto& timing = record.timing;
    out.u8(static_cast<std::uint8_t>(
        (timing.begin ? with_begin : 0) | (timing.end ? with_end : 0) |
        (record.terms.max_runs ? with_max_runs : 0) | (record.next ? with_next : 0) |
        (record.queued ? with_queued : 0) | (record.last_tick ? with_last_tick : 0) |
        (record.terms.pause_on_dead ? pauses_on_dead : 0) | (record.chosen ? next_is_chosen : 0)));
    out.u8(static_cast<std::uint8_t>(static_cast<int>(record.state) |
                                     (record.in_first_shard ? first_shard : 0)));
    out.text(record.identity);
    out.text(record.key);
    out.text(timing.cron);
    out.text(timing.timezone);
    out.signed_number(timing.interval.count());
    out.u8(static_cast<std::uint8_t>(timing.mode));
    write(timing.begin, out);
    write(timing.end, out);
    if (record.terms.max_runs) out.signed_number(*record.terms.max_runs);
    out.u8(static_cast<std::uint8_t>(record.terms.overlap));
    out.u8(static_cast<std::uint8_t>(record.terms.missed));
    out.signed_number(record.terms.missed_cap);
    out.signed_number(record.terms.jitter.count());
    for (const auto at : {record.created, record.timed, record.ended, record.declared_at}) out.instant(at);
    write(record.next, out);
    write(record.queued, out);
    write(record.last_tick, out);
    for (const auto count : {record.runs, record.skipped, record.missed, record.untold})
        out.signed_number(count);
    out.text(record.declared_args);
    out.signed_number(std::ssize(record.overtaken));
    for (const auto& id : record.overtaken) out.rest(id.view());
    out.rest(encode(record.run));
    return bytes;
}

schedule_record decode_schedule(std::string_view bytes) {
    byte_reader in{bytes, "schedule"};
    schedule_record record;
    record.stamp = in.fixed(8);
    record.last_run = *task_id::from_bytes(in.take(16));
    if (in.u8() != schedule_format) in.fail("has a format that this version of errand does not know");
    const auto flags = in.u8();
    const auto state = in.u8();
    record.in_first_shard = (state & first_shard) != 0;
    record.state = enumerator<schedule_state>(state & ~first_shard, 4, in);
    record.identity = in.text();
    record.key = in.text();
    record.timing.cron = in.text();
    record.timing.timezone = in.text();
    record.timing.interval = duration{in.signed_number()};
    record.timing.mode = read_enum<schedule_mode>(in, 3);
    record.timing.begin = read(flags & with_begin, in);
    record.timing.end = read(flags & with_end, in);
    if (flags & with_max_runs) record.terms.max_runs = in.signed_number();
    record.terms.overlap = read_enum<overlap_rule>(in, 4);
    record.terms.missed = read_enum<missed_rule>(in, 3);
    record.terms.missed_cap = static_cast<int>(in.signed_number());
    record.terms.jitter = duration{in.signed_number()};
    record.terms.pause_on_dead = (flags & pauses_on_dead) != 0;
    record.chosen = (flags & next_is_chosen) != 0;
    for (auto* at : {&record.created, &record.timed, &record.ended, &record.declared_at}) *at = in.instant();
    record.next = read(flags & with_next, in);
    record.queued = read(flags & with_queued, in);
    record.last_tick = read(flags & with_last_tick, in);
    for (auto* count : {&record.runs, &record.skipped, &record.missed, &record.untold})
        *count = in.signed_number();
    record.declared_args = in.text();
    for (auto left = in.signed_number(); left > 0; --left)
        record.overtaken.push_back(*task_id::from_bytes(in.take(16)));
    record.run = decode_body(in.rest());
    return record;
}

task_id derive_schedule_id(std::string_view identity, std::string_view key) {
    return derive_task_id(identity, std::string{"\nschedule\n"}.append(key));
}

task_id id_of(const schedule_record& record) {
    const auto id = derive_schedule_id(record.identity, record.key);
    return record.in_first_shard ? in_first_shard(id) : id;
}

std::string default_schedule_key(const schedule_timing& timing, std::string_view args) {
    std::string text = with_length(timing.cron) + with_length(timing.timezone) +
                       eight_bytes(static_cast<std::uint64_t>(timing.interval.count())) +
                       static_cast<char>('0' + static_cast<int>(timing.mode));
    const auto digest = sha256(text + with_length(args));
    return to_hex({reinterpret_cast<const char*>(digest.data()), 8});
}

}  // namespace errand
