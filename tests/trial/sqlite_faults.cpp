// What happens to a SQLite file.
#include "trial/faults.hpp"
#include "trial/site.hpp"
#include "trial/sqlite_ground.hpp"

namespace trial {
namespace {

using namespace std::chrono_literals;

sqlite_ground& sqlite(site& at) { return dynamic_cast<sqlite_ground&>(at.store()); }

// Nobody can write meanwhile, for longer than a lease at times.
void keep_locked(site& at) {
    const std::chrono::milliseconds length{between(200, 2500, at.random)};
    if (!sqlite(at).lock()) return;
    at.storm(length + 2s);
    at.later(length, [&at] {
        sqlite(at).unlock();
        at.count("file_locked");
    });
}

void cut_log(site& at) {
    sqlite(at).fold_log();
    at.count("log_folded");
}

}  // namespace

std::vector<fault> sqlite_faults() { return {{"lock", keep_locked}, {"fold_log", cut_log}}; }
std::vector<fault> sqlite_ground::faults() const { return sqlite_faults(); }

}  // namespace trial
