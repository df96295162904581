#include "store/sqlite/transaction.hpp"

#include <errand/error.hpp>

#include "store/sqlite/database.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace errand::sqlite {
namespace {

// The clock of the machine may be set back a little, or differ between processes: time does not go back for that.
constexpr std::int64_t most_back = 10'000'000;

}  // namespace

transaction::transaction(connection& on, idle_workers& of, clock_function clock, std::int64_t as, bool inside)
    : in{on}, idle{of}, process{as}, sql{on, !inside}, clock_{std::move(clock)}, inside_{inside} {}

void transaction::begin(bool reading) {
    if (inside_) {
        must_be_open();
        forget_all();
        sql.begin_inside.run();
        begun_ = true;
    } else {
        (reading ? sql.begin_reading : sql.begin).run();
    }
    try {
        check_format();
    } catch (...) {
        abandon();
        throw;
    }
    any = {};
    micros_ = clock_();
}

// SQLite ends a whole transaction by itself when a disk is full or fails. What came then would be a transaction of its own.
void transaction::must_be_open() const {
    if (!in.in_transaction())
        throw store_error{
            "the database has rolled back the transaction that the tasks belong to: run it again"};
}

// Nobody says whether what was found or made last has been rolled back since.
void transaction::forget_all() {
    caches_.clear();
    for (auto* one : idle.callers()) one->ns = 0;
}

// A newer errand may have brought the file forward while it was open here.
void transaction::check_format() {
    auto rows = sql.format();
    rows.next();
    if (rows.number(0) != store_format) throw failure{SQLITE_SCHEMA, "its format has changed"};
}

void transaction::commit() {
    for (auto& [key, one] : caches_) {
        if (one->is_read()) one->write(micros_);
        one->forget();
    }
    (inside_ ? sql.commit_inside : sql.commit).run();
    begun_ = false;
    certain_ = notices_.size();
    made_.clear();
}

void transaction::abandon() {
    caches_.clear();
    if (!inside_) concerns_others_ = false;
    for (auto* one : std::exchange(made_, {})) one->ns = 0;
    // A spurious wake-up costs a look, a lost one costs a task its time; what did not happen is told to nobody.
    const auto uncertain = notices_.begin() + static_cast<std::ptrdiff_t>(certain_);
    notices_.erase(std::remove_if(uncertain, notices_.end(),
                                  [](const notice& one) {
                                      return one.what == notice::kind::cancelled ||
                                             one.what == notice::kind::ended;
                                  }),
                   notices_.end());
    const bool begun = std::exchange(begun_, false);
    if (!in.in_transaction()) return;
    if (!inside_) return in.execute("ROLLBACK");
    if (!begun) return;
    sql.abandon_inside.run();
    sql.commit_inside.run();
}

void transaction::open_namespace(std::int64_t ns) {
    auto& one = caches_[ns];
    if (!one) one = std::make_unique<namespace_cache>(in, sql, ns);
    if (!one->is_read()) {
        one->read();
        // Who came first knows it from open().
        const auto [known, first] = idle.settings.try_emplace(ns, one->settings());
        if (!first && known->second != one->settings()) tell_of_settings(ns, one->settings());
    }
    cache_ = one.get();
    const auto written = cache_->clock();
    if (written > micros_ && written - micros_ < most_back) micros_ = written;
    now_ = micros_ / 1000;
    upper_ = (micros_ + 999) / 1000;
}

void transaction::enter(caller& by) {
    by_ = &by;
    if (by.ns == 0) {
        auto rows = sql.find_name_space(text{by.name_space});
        if (rows.next()) by.ns = rows.number(0);
    }
    if (by.ns == 0) {
        sql.make_name_space.run(text{by.name_space});
        by.ns = in.last_row();
        made_.push_back(&by);
    }
    open_namespace(by.ns);
}

bool transaction::overtaken() {
    auto rows = sql.version();
    rows.next();
    return std::exchange(version_, rows.number(0)) != rows.number(0);
}

void transaction::notify(std::int64_t process_of, std::string_view name, notice::kind what,
                         ended_task about) {
    if (process_of != process) {
        const bool ended = what == notice::kind::ended;
        const auto* letter = ended ? "e" : what == notice::kind::may_go_on ? "g" : "c";
        const auto at = ended ? about.finished_at.time_since_epoch().count() : now_;
        sql.post.run(process_of, ns(), text{name}, text{letter}, about.id.view(), about.life, at,
                     std::string_view{about.outcome});
        concerns_others();
    } else if (auto* to = idle.find(ns(), name)) {
        notify(*to, what, std::move(about));
    }
}

void transaction::tell_of_settings(std::int64_t ns, std::int64_t version) {
    idle.settings[ns] = version;
    for (auto* one : idle.callers()) {
        if (one->ns == ns) notify(*one, notice::kind::settings);
    }
}

}  // namespace errand::sqlite
