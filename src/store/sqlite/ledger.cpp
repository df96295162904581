// What all calls have in common: the transaction around them, their time, and the look at what other processes did.
#include "store/sqlite/ledger.hpp"

#include <errand/error.hpp>

#include "store/sqlite/database.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace errand::sqlite {
namespace {

// The clock of the machine may be set back a little, or differ between processes: time does not go back for that.
constexpr std::int64_t most_back = 10'000'000;

}  // namespace

ledger::ledger(connection& in, idle_workers& of, clock_function clock, std::int64_t engine, bool inside)
    : in_{in}, idle_{of}, clock_{std::move(clock)}, engine_{engine}, inside_{inside}, set_{in, !inside} {}

void ledger::begin(bool reading) {
    if (inside_) {
        must_be_open();
        forget_all();
        sql_.begin_inside.run();
        begun_ = true;
    } else {
        (reading ? sql_.begin_reading : sql_.begin).run();
    }
    check_format();
    any_edges_.reset();
    any_watched_.reset();
    any_stage_.reset();
    micros_ = clock_();
}

// SQLite ends a whole transaction by itself when a disk is full or fails. What came then would be a transaction of its own.
void ledger::must_be_open() const {
    if (!in_.in_transaction())
        throw store_error{
            "the database has rolled back the transaction that the tasks belong to: run it again"};
}

// Nobody says whether what was found or made last has been rolled back since.
void ledger::forget_all() {
    caches_.clear();
    for (auto* one : idle_.callers()) one->ns = 0;
}

// A newer errand may have brought the file forward while it was open here.
void ledger::check_format() {
    auto rows = sql_.format();
    rows.next();
    if (rows.number(0) != store_format) throw failure{SQLITE_SCHEMA, "its format has changed"};
}

void ledger::commit() {
    for (auto& [key, one] : caches_) {
        if (one->is_read()) one->write(micros_);
        one->forget();
    }
    (inside_ ? sql_.commit_inside : sql_.commit).run();
    begun_ = false;
}

void ledger::abandon() {
    caches_.clear();
    // A spurious wake-up costs a look, a lost one costs a task its time; what did not happen is told to nobody.
    std::erase_if(notices_, [](const notice& one) {
        return one.what == notice::kind::cancelled || one.what == notice::kind::ended;
    });
    const bool begun = std::exchange(begun_, false);
    if (!in_.in_transaction()) return;
    if (!inside_) return in_.execute("ROLLBACK");
    if (!begun) return;
    sql_.abandon_inside.run();
    sql_.commit_inside.run();
}

void ledger::open_namespace(std::int64_t ns) {
    auto& one = caches_[ns];
    if (!one) one = std::make_unique<namespace_cache>(in_, sql_, ns);
    if (!one->is_read()) one->read();
    cache_ = one.get();
    const auto written = cache_->clock();
    if (written > micros_ && written - micros_ < most_back) micros_ = written;
    now_ = micros_ / 1000;
    upper_ = (micros_ + 999) / 1000;
}

void ledger::enter(caller& by) {
    by_ = &by;
    if (by.ns == 0) {
        auto rows = sql_.find_name_space(text{by.name_space});
        if (rows.next()) by.ns = rows.number(0);
    }
    if (by.ns == 0) {
        sql_.make_name_space.run(text{by.name_space});
        by.ns = in_.last_row();
    }
    open_namespace(by.ns);
    freed_.clear();
    earliest_.clear();
    stood_aside_ = false;
}

void ledger::leave_call() {
    wake_freed();
    if (stood_aside_) tell_adopters();
    by_ = nullptr;
}

bool ledger::overtaken() {
    auto rows = sql_.version();
    rows.next();
    return std::exchange(version_, rows.number(0)) != rows.number(0);
}

bool ledger::look_around() {
    for (const auto& [ns, queue] : idle_.waited_for()) {
        open_namespace(ns);
        auto* known = cache_->find_queue(queue);
        if (!known || known->paused) continue;
        const auto first = earliest(*known);
        const auto keeper = idle_.timekeepers.find({ns, queue});
        const bool sooner = first && (keeper == idle_.timekeepers.end() || *first < keeper->second.due);
        if (sooner || any_ready(known)) wake(queue, 1);
    }
    std::set<std::int64_t> of_adopters;
    for (const auto& one : idle_.adopters()) of_adopters.insert(one.who->ns);
    for (const auto ns : of_adopters) {
        open_namespace(ns);
        tell_adopters();
    }
    for (const auto ns : idle_.news_waited_for()) {
        open_namespace(ns);
        auto rows = sql_.any_news_due(ns, now_);
        if (!rows.next()) continue;
        if (auto* one = idle_.take_resolver(ns)) notices_.push_back({one, notice::kind::news, {}});
    }
    return sql_.mail(engine_).next();
}

void ledger::fetch_mail() {
    std::int64_t last = 0;
    for (auto rows = sql_.mail(engine_); rows.next();) {
        last = rows.number(0);
        auto* to = idle_.find(rows.number(1), rows.bytes(2));
        if (!to) continue;
        const bool ended = rows.bytes(3) == "e";
        notices_.push_back({to,
                            ended ? notice::kind::ended : notice::kind::cancelled,
                            {.id = *task_id::from_bytes(rows.bytes(4)),
                             .life = static_cast<incarnation>(rows.number(5)),
                             .finished_at = time_point{duration{rows.number(6)}},
                             .outcome = std::string{rows.bytes(7)}}});
    }
    sql_.drop_mail.run(engine_, last);
}

}  // namespace errand::sqlite
