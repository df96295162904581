#include "store/sqlite/handler_settings.hpp"

#include "core/bytes.hpp"
#include "core/import_record.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// 0: there is no record.
std::uint64_t front_of(std::string_view record) {
    return record.size() < 8 ? 0 : byte_reader{record, "settings"}.fixed(8);
}

}  // namespace

std::vector<kept_settings> handler_settings::all() {
    std::vector<kept_settings> got;
    for (auto rows = sql_.all_settings(tx_.ns()); rows.next();)
        got.push_back({std::string{rows.bytes(0)}, std::string{rows.bytes(1)}});
    return got;
}

std::string handler_settings::find(std::string_view handler) {
    auto rows = sql_.settings_record(tx_.ns(), handler);
    return rows.next() ? std::string{rows.bytes(0)} : std::string{};
}

// One that comes again finds its own record.
bool handler_settings::set(const settings_step& step) {
    const auto held = front_of(find(step.handler));
    if (held != step.seen) return held == front_of(step.record);
    if (step.record.empty())
        sql_.drop_settings.run(tx_.ns(), std::string_view{step.handler});
    else
        sql_.keep_settings.run(tx_.ns(), std::string_view{step.handler}, std::string_view{step.record});
    if (is_kept_quietly(step.handler)) return true;
    const auto version = std::max(tx_.cache().settings() + 1, tx_.micros());
    sql_.settings_changed.run(tx_.ns(), version);
    tx_.cache().settings_are(version);
    tx_.tell_of_settings(tx_.ns(), version);
    tx_.concerns_others();
    return true;
}

}  // namespace errand::sqlite
