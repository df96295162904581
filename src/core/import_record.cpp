#include "core/import_record.hpp"

#include "core/bytes.hpp"

namespace errand {
namespace {

constexpr std::uint8_t import_format = 1;
constexpr std::uint64_t lines_in_a_shard = 256;

}  // namespace

std::string encode(const import_record& record) {
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(record.stamp, 8);
    out.u8(import_format);
    out.instant(record.began);
    out.number(record.size);
    out.text(record.digest);
    out.u8(record.csv ? 1 : 0);
    out.number(record.offset);
    out.number(record.lines);
    out.number(record.accepted);
    out.number(record.duplicates);
    out.number(record.rejected);
    out.instant(record.next_at);
    out.number(record.next_count);
    out.u8(record.complete ? 1 : 0);
    return bytes;
}

import_record decode_import(std::string_view bytes) {
    byte_reader in{bytes, "import"};
    import_record record;
    record.stamp = in.fixed(8);
    if (in.u8() != import_format) in.fail("has a format that this version of errand does not know");
    record.began = in.instant();
    record.size = in.number();
    record.digest = in.text();
    record.csv = in.u8() != 0;
    record.offset = in.number();
    record.lines = in.number();
    record.accepted = in.number();
    record.duplicates = in.number();
    record.rejected = in.number();
    record.next_at = in.instant();
    record.next_count = in.number();
    record.complete = in.u8() != 0;
    return record;
}

task_id derive_import_id(std::string_view import, std::uint64_t line) {
    const std::string name{import};
    auto id = derive_task_id("errand.import", name + '\n' + std::to_string(line));
    const auto place =
        derive_task_id("errand.import", name + "\n@" + std::to_string(line / lines_in_a_shard));
    id.bytes[14] = place.bytes[14];
    id.bytes[15] = place.bytes[15];
    return id;
}

incarnation import_life(time_point at, std::uint64_t line) noexcept {
    return (static_cast<incarnation>(at.time_since_epoch().count()) << 16U) | (line & 0xFFFFU);
}

}  // namespace errand
