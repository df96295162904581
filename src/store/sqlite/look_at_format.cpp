#include "store/sqlite/look_at_format.hpp"

#include <errand/error.hpp>

#include "store/sqlite/database.hpp"
#include "store/sqlite/refusal.hpp"

#include <chrono>
#include <filesystem>

namespace errand::sqlite {
namespace {

// Their table is the same in all formats that are brought forward, and newer ones.
std::vector<worker_card> workers_in(connection& in) {
    std::vector<worker_card> all;
    if (!in.ask("SELECT 1 FROM sqlite_schema WHERE name = 'errand_worker'")) return all;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    statement alive{in.raw(), "SELECT name, card, until FROM errand_worker WHERE until > ?1 ORDER BY name"};
    auto rows = alive(std::chrono::floor<duration>(now).count());
    while (rows.next())
        all.push_back({std::string{rows.bytes(0)}, std::string{rows.bytes(1)},
                       time_point{duration{rows.number(2)}}});
    return all;
}

}  // namespace

stored_format look_at_format(const std::string& url) {
    const auto at = parse_address(url);
    stored_format seen{.store = at.shown, .number = {}, .oldest = oldest_format, .newest = store_format};
    if (at.in_memory()) return seen;
    std::error_code unseen;
    const bool there = std::filesystem::exists(at.path, unseen);
    if (unseen) throw store_error{"look: " + at.shown + ": " + unseen.message()};
    // Opening would make it.
    if (!there) return seen;
    try {
        connection in{at.path};
        in.wait_for_locks();
        if (const int format = format_of(in); format != 0) seen.number = format;
        seen.workers = workers_in(in);
    } catch (const failure& why) {
        throw store_error{in_words("look", at, why)};
    }
    return seen;
}

}  // namespace errand::sqlite
