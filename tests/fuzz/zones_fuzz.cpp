// Whatever stands in a zone's file or in a cron line: reading it ends with a value or with an errand::error, and a value can be
// asked for any time. The first byte says what the rest is taken for.
#include <errand/error.hpp>

#include "core/cron_ticks.hpp"
#include "fuzz/require.hpp"
#include "support/zone_look.hpp"

#include <cstdint>

using namespace errand;
using errand::test::local_at;
using std::chrono::seconds;
using std::chrono::sys_seconds;

namespace {

constexpr sys_seconds somewhen{seconds{1'795'000'000}};

void ask(const time_zone& zone, sys_seconds at) {
    const auto span = zone.offset_at(at);
    require(span.begin <= at && at < span.end);
    const auto first = first_instant(zone, local_at(zone, at));
    require(first <= at && local_at(zone, first) >= local_at(zone, at));
}

void ask(const cron_ticks& ticks) {
    const auto tick = ticks.next(somewhen);
    if (!tick) return;
    require(*tick > somewhen);
    require(ticks.count(somewhen + seconds{1}, *tick + seconds{1}) == 1);
    const auto following = ticks.next(*tick);
    require(!following || ticks.previous(*following) == tick);
}

void take_for_zone(std::string_view bytes) {
    auto zone = std::make_shared<const time_zone>(time_zone::read("Test/Zone", bytes));
    for (const auto at : {somewhen, sys_seconds{seconds{0}}, sys_seconds{seconds{-5'000'000'000}},
                          sys_seconds{seconds{9'000'000'000}}})
        ask(*zone, at);
    ask(cron_ticks{cron_line::parse("30 2 * * *", {}), zone});
    ask(cron_ticks{cron_line::parse("*/20 * * * *", {}), zone});
    ask(cron_ticks{cron_line::parse("0 0 29 2 *", {}), zone});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    try {
        if (data[0] % 3 == 0) ask(cron_ticks{cron_line::parse(bytes, {"h", "k"}), time_zone::utc()});
        if (data[0] % 3 == 1) take_for_zone(bytes);
        if (data[0] % 3 == 2) zone_rule::parse(bytes).at(somewhen);
    } catch (const error&) {
        // Refused with words.
    }
    return 0;
}
