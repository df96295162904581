#include "app/open_shelf.hpp"

#include <errand/error.hpp>

#include "core/sqlite_url.hpp"
#include "shelf/shelved_store.hpp"
#include "sql/known_drivers.hpp"
#include "sql/sqlite/driver.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace errand {
namespace {

using namespace std::chrono_literals;

constexpr auto busy_wait = 2s;
// Of calls by which tasks are brought: see shelf/shelved_store.hpp.
constexpr duration patience_of_carrier{10'000};

std::unique_ptr<sql::driver> driver_of(const std::string& url) {
    try {
        if (url.starts_with("sqlite:")) return std::make_unique<sqlite::driver>(url, busy_wait, nullptr);
        if (auto made = sql::driver_by_url(url)) return made;
    } catch (const usage_error& e) {
        throw usage_error{std::string{"ERRAND_SHELF: "} + e.what()};
    }
    throw usage_error{
        "ERRAND_SHELF: \"" + url.substr(0, url.find(':')) +
        "\" is no database that this program knows: use sqlite:///path/file.db, postgresql://user@host/name in a "
        "program that is linked with errand::postgres, or mysql://user@host/name with errand::mysql"};
}

std::string file_of(const std::string& url) {
    sqlite_url at;
    if (!url.starts_with("sqlite:") || !read_sqlite_url(url, at).empty()) return {};
    std::error_code none;
    const auto whole = std::filesystem::weakly_canonical(at.path, none);
    return at.path.empty() || none ? at.path : whole.string();
}

std::shared_ptr<shelf::board> board_of(const store_settings& settings) {
    const auto home = settings.shelf_home ? settings.shelf_home : std::make_shared<store_home>();
    const std::lock_guard lock{home->guard};
    if (!home->kept)
        home->kept = std::make_shared<shelf::board>(driver_of(settings.shelf), settings.name_space);
    return std::static_pointer_cast<shelf::board>(home->kept);
}

}  // namespace

void check_shelf(const std::string& shelf, const std::string& store) {
    if (shelf.empty()) return;
    driver_of(shelf);
    if (const auto file = file_of(shelf); !file.empty() && file == file_of(store)) {
        throw usage_error{
            "ERRAND_SHELF: the shelf cannot be in the file of ERRAND_STORE, as each waits for the other there: name another "
            "file"};
    }
}

std::unique_ptr<store> put_shelf_beside(boost::asio::io_context& on, std::unique_ptr<store> in,
                                        store_settings settings,
                                        std::function<std::unique_ptr<store>(store_settings)> open) {
    auto rows = board_of(settings);
    const auto ahead = settings.shelf_ahead;
    settings.name = in->name() + "-shelf";
    settings.patience = patience_of_carrier;
    // Its row is deleted when the store has a task.
    settings.waits_for_replica = true;
    auto trouble = settings.trouble;
    auto carrier = [settings = std::move(settings), open = std::move(open)] { return open(settings); };
    return std::make_unique<shelf::shelved_store>(on.get_executor(), std::move(in), std::move(rows), ahead,
                                                  std::move(carrier), std::move(trouble));
}

}  // namespace errand
