#include "support/sqlite_backing.hpp"

#include "app/open_store.hpp"
#include "support/cluster_backing.hpp"
#include "support/places.hpp"
#include "support/redis_fixture.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <map>

namespace errand::test {
namespace {

// Gone with the program.
struct own_folder {
    ~own_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path = temporary_folder("sqlite");
};

// By the parts of a Redis shard: what holds the same here.
const std::map<std::string, std::string> queries{
    {"tasks", "SELECT count(*) FROM errand_task"},
    {"own", "SELECT count(*) FROM errand_task WHERE claim IS NOT NULL"},
    {"claims", "SELECT count(*) FROM errand_claim"},
    {"leases", "SELECT count(*) FROM errand_claim"},
    {"notes", "SELECT count(*) FROM errand_task WHERE notes IS NOT NULL"},
    {"waiting", "SELECT count(*) FROM errand_waiting"},
    {"links", "SELECT count(*) FROM errand_link"},
    {"outbox", "SELECT count(*) FROM errand_news"},
    {"schedules", "SELECT count(*) FROM errand_schedule"},
    {"groups", "SELECT count(*) FROM errand_group"},
    {"slots", "SELECT count(*) FROM errand_slot"},
    {"quota", "SELECT count(*) FROM errand_quota"},
    {"stages", "SELECT count(DISTINCT id) FROM errand_stage"},
    {"watched", "SELECT count(*) FROM errand_watched"},
    {"cards", "SELECT count(*) FROM errand_worker"},
};

}  // namespace

std::string fresh_database() {
    static const own_folder folder;
    static std::atomic<int> made{0};
    return (folder.path / (std::to_string(++made) + ".db")).string();
}

sqlite_backing::sqlite_backing(bool in_memory) : path_{in_memory ? "" : fresh_database()} {}

void sqlite_backing::place(store_settings& with) {
    with.url = path_.empty() ? "sqlite::memory:" : "sqlite://" + path_ + "?synchronous=normal";
    with.home = home_;
    with.clock = [ahead = ahead_] {
        return std::chrono::floor<duration>(std::chrono::system_clock::now()) + duration{ahead->load()};
    };
}

std::string sqlite_backing::ask(const std::string& sql) const {
    sqlite3* in = nullptr;
    std::string answer;
    const auto keep = [](void* to, int, char** values, char**) {
        *static_cast<std::string*>(to) = values[0] ? values[0] : "";
        return 0;
    };
    char* words = nullptr;
    const bool done = sqlite3_open(path_.c_str(), &in) == SQLITE_OK &&
                      sqlite3_busy_timeout(in, 10'000) == SQLITE_OK &&
                      sqlite3_exec(in, sql.c_str(), keep, &answer, &words) == SQLITE_OK;
    const std::string wrong = words ? words : "cannot be opened";
    sqlite3_free(words);
    sqlite3_close(in);
    if (!done) throw std::runtime_error{path_ + ": " + wrong};
    return answer;
}

void sqlite_backing::hold(bool yes, const std::string& how) {
    other_.reset();
    if (!yes) return;
    sqlite3* opened = nullptr;
    const int got = sqlite3_open(path_.c_str(), &opened);
    other_.reset(opened, sqlite3_close);
    if (got != SQLITE_OK || sqlite3_exec(opened, how.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        throw std::runtime_error{path_ + ": " + sqlite3_errmsg(opened)};
}

long sqlite_backing::kept(const std::string& part) const {
    const auto query = queries.find(part);
    if (path_.empty() || query == queries.end()) return -1;
    return std::stol(ask(query->second));
}

const std::string& sqlite_backing::query_of(const std::string& part) { return queries.at(part); }

void sqlite_backing::make_overdue(const task_id&) { advance(std::chrono::seconds{16}); }

// The clock stood there when a claim was made, and was set back.
void sqlite_backing::set_last_claim(claim_number number) {
    const auto before = ahead_->load();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    *ahead_ =
        static_cast<std::int64_t>(number / 1000) - std::chrono::floor<std::chrono::milliseconds>(now).count();
    store_settings with;
    place(with);
    const auto stopped = time_point{duration{static_cast<std::int64_t>(number / 1000)}};
    boost::asio::io_context io;
    with.name = "ahead";
    auto store = open_store(io, std::move(with));
    await(io, store->open());
    const std::vector items{item_of("ahead", "ahead")};
    await(io, store->submit(0, items, submit_mode::each));
    work_call call;
    call.claim = {.queues = {"ahead"}, .limit = 1};
    const auto got = await(io, store->work(call));
    REQUIRE(got.now >= stopped);
    *ahead_ = before;
}

std::unique_ptr<backing> make_backing() {
    switch (kind_of_tests()) {
    case store_kind::sqlite: return std::make_unique<sqlite_backing>(false);
    case store_kind::sqlite_memory: return std::make_unique<sqlite_backing>(true);
    case store_kind::redis: break;
    }
    if (tests_are_in_cluster()) return make_cluster_backing();
    return std::make_unique<redis_backing>();
}

}  // namespace errand::test
