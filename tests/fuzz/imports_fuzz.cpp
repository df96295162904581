// Whatever a file holds that is imported, reading it ends with a task or with an errand::error; and a CSV in pieces is the CSV as a
// whole. The first byte says what the rest is taken for.
#include <errand/error.hpp>

#include "core/csv_records.hpp"
#include "core/import_lines.hpp"
#include "core/import_record.hpp"
#include "fuzz/require.hpp"

#include <cstdint>

using namespace errand;

namespace {

// What is decided by a piece is not decided otherwise by more; the bytes are taken up one after the other, all of them.
void read_csv(std::string_view text) {
    std::size_t from = 0;
    while (from < text.size()) {
        const auto rest = text.substr(from);
        const auto whole = read_csv_record(rest, true);
        require(whole && whole->bytes > 0 && whole->bytes <= rest.size() && whole->lines > 0);
        require(whole->fault.empty() != whole->fields.empty());
        if (const auto early = read_csv_record(rest.substr(0, rest.size() / 2), false)) {
            require(early->fields == whole->fields && early->bytes == whole->bytes);
            require(early->fault == whole->fault);
        }
        from += whole->bytes;
    }
    require(!read_csv_record({}, true));
}

void take_columns(std::string_view text, const import_rules& rules) {
    auto header = read_csv_record(text, true);
    if (!header || !header->fault.empty()) return;
    const auto rest = text.substr(header->bytes);
    const csv_columns columns{std::move(header->fields), rules};
    if (const auto row = read_csv_record(rest, true)) columns.task_of(row->fields);
}

void take_for(std::uint8_t what, std::string_view bytes) {
    const import_rules plain{.handler = "h"};
    const import_rules named{.handler = {}, .queue = "q", .biz_id = "b", .at = "t"};
    switch (what % 5) {
    case 0: return read_csv(bytes);
    case 1: return take_columns(bytes, plain);
    case 2: task_of_json(bytes, plain); return;
    case 3: task_of_json(bytes, named); return;
    default: require(decode_import(encode(decode_import(bytes))) == decode_import(bytes)); return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    try {
        take_for(data[0], bytes);
    } catch (const error&) {
        // Refused with words.
    }
    return 0;
}
