// Which engine a store object shares: by file in a process, by app in memory.
#include <errand/error.hpp>

#include "store/sqlite/engine.hpp"

#include <filesystem>
#include <map>

namespace errand::sqlite {
namespace {

clock_function clock_of(const store_settings& settings) {
    if (const auto given = settings.clock)
        return {.read = [given] { return given().time_since_epoch().count() * 1000; },
                .stands_still = settings.threadless};
    return {.read = [] {
        using namespace std::chrono;
        return floor<microseconds>(system_clock::now()).time_since_epoch().count();
    }};
}

std::string canonical(const std::string& path) {
    std::error_code failed;
    const auto whole = std::filesystem::weakly_canonical(path, failed);
    return failed ? std::filesystem::absolute(path).string() : whole.string();
}

struct files {
    std::mutex guard;
    std::map<std::string, std::weak_ptr<engine>> all;  // by path
};

files& engines() {
    static files all;
    return all;
}

std::shared_ptr<engine> of_file(address at, const store_settings& settings,
                                std::chrono::milliseconds latest_look) {
    const std::lock_guard lock{engines().guard};
    auto& known = engines().all[canonical(at.path)];
    if (auto there = known.lock()) return there;
    auto made = std::make_shared<engine>(std::move(at), clock_of(settings), false, latest_look);
    known = made;
    return made;
}

}  // namespace

void engine::committed() {
    tell_other_processes();
    std::shared_ptr<engine> beside;
    {
        const std::lock_guard lock{engines().guard};
        const auto known = engines().all.find(canonical(at_.path));
        if (known != engines().all.end()) beside = known->second.lock();
    }
    if (beside) beside->look_now();
}

std::shared_ptr<engine> engine::of(const store_settings& settings, std::chrono::milliseconds latest_look) {
    auto at = parse_address(settings.url);
    if (settings.shards > 1) {
        throw usage_error{"ERRAND_SHARDS: a SQLite store is one shard, and " +
                          std::to_string(settings.shards) + " were asked for: leave it out"};
    }
    if (!at.in_memory()) return of_file(std::move(at), settings, latest_look);
    if (!settings.home)
        return std::make_shared<engine>(std::move(at), clock_of(settings), settings.threadless);
    const std::lock_guard lock{settings.home->guard};
    if (!settings.home->kept)
        settings.home->kept =
            std::make_shared<engine>(std::move(at), clock_of(settings), settings.threadless);
    return std::static_pointer_cast<engine>(settings.home->kept);
}

std::shared_ptr<engine> engine::inside(const store_settings& settings, sqlite3* connection) {
    return std::make_shared<engine>(parse_address(settings.url), clock_of(settings), connection);
}

}  // namespace errand::sqlite
