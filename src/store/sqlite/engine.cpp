#include "store/sqlite/engine.hpp"

#include <errand/error.hpp>

#include "store/sqlite/database.hpp"
#include "store/sqlite/refusal.hpp"

#include <boost/asio/post.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <random>

namespace errand::sqlite {
namespace {

// After a failure that may pass.
constexpr std::chrono::milliseconds pause_after_failure{100};
// Others may have the file locked for so long before anybody is told.
constexpr std::chrono::seconds usual_lock{1};
// In memory a commit costs next to nothing, and those who are answered by it work on while the next calls run: there one
// carries small calls for about so many tasks, or one large call.
constexpr std::size_t tasks_in_memory = 64;

std::int64_t random_key() {
    std::random_device source;
    return static_cast<std::int64_t>((std::uint64_t{source()} << 31 | source()) & INT64_MAX);
}

void tell(store_listener& to, const notice& one) {
    switch (one.what) {
    case notice::kind::woken: return to.woken();
    case notice::kind::news: return to.news_came();
    case notice::kind::aside: return to.stands_aside();
    case notice::kind::schedules: return to.schedules_changed();
    case notice::kind::settings: return to.settings_changed();
    case notice::kind::cancelled: return to.task_cancelled(one.about.id);
    case notice::kind::ended: return to.task_ended(one.about);
    case notice::kind::may_go_on: return to.may_go_on(one.about.id);
    }
}

}  // namespace

engine::engine(address at, clock_function clock, bool threadless, std::chrono::milliseconds latest_look)
    : at_{std::move(at)}, clock_{std::move(clock)}, threadless_{threadless}, latest_look_{latest_look} {
    if (!threadless_) thread_ = std::thread{[this] { run(); }};
}

engine::engine(address at, clock_function clock, sqlite3* inside)
    : at_{std::move(at)}, clock_{std::move(clock)}, threadless_{true}, inside_{inside} {}

engine::~engine() {
    if (threadless_) {
        operations_.reset();
        return;
    }
    {
        const std::lock_guard lock{guard_};
        stopping_ = true;
    }
    rouse();
    thread_.join();
}

void engine::attach(caller& who) {
    std::unique_lock lock{guard_};
    ++detaching_;
    changed_.wait(lock, [this] { return !running_; });
    idle_.enter(who);
    --detaching_;
    changed_.notify_all();
}

std::vector<std::shared_ptr<job>> engine::detach(caller& who) {
    std::unique_lock lock{guard_};
    ++detaching_;
    changed_.wait(lock, [this] { return !running_; });
    who.closed = true;
    idle_.leave(who);
    jobs left;
    for (auto& one : line_) {
        if (one->by == &who) left.push_back(one);
    }
    std::erase_if(line_, [&](const auto& one) { return one->by == &who; });
    --detaching_;
    changed_.notify_all();
    return left;
}

void engine::put(std::shared_ptr<job> one) {
    {
        const std::lock_guard lock{guard_};
        line_.push_back(std::move(one));
    }
    if (threadless_) return run_here();
    rouse();
}

bool engine::withdraw(const job& one) {
    const std::lock_guard lock{guard_};
    return std::erase_if(line_, [&](const auto& other) { return other.get() == &one; }) > 0;
}

// ---- the thread ----------------------------------------------------------------------------------------

void engine::run() {
    std::unique_lock lock{guard_};
    for (;;) {
        changed_.wait(lock, [this] { return detaching_ == 0; });
        if (stopping_) break;
        wait_for_work(lock);
        if (stopping_ || detaching_ > 0) continue;
        const bool reading =
            !line_.empty() && std::ranges::all_of(line_, [](auto& one) { return one->reads; });
        running_ = true;
        lock.unlock();
        turn(reading);
        lock.lock();
        running_ = false;
        waits_for_others_ = !idle_.empty() || (operations_ && operations_->inspect.watches());
        if (detaching_ > 0) changed_.notify_all();
    }
    // What belongs to the thread ends with it.
    operations_.reset();
    in_.reset();
}

// Whoever finds another at it leaves his call to that one.
void engine::run_here() {
    std::unique_lock lock{guard_};
    while (!line_.empty() && !running_) {
        const bool reading = std::ranges::all_of(line_, [](auto& one) { return one->reads; });
        const auto from = std::exchange(not_before_, std::nullopt);
        running_ = true;
        lock.unlock();
        if (from) std::this_thread::sleep_until(*from);
        turn(reading);
        lock.lock();
        running_ = false;
        changed_.notify_all();
    }
}

void engine::turn(bool reading) {
    if (!operations_ && !open()) return;
    try {
        if (door_) look_if_changed();
        bool any = false;
        {
            const std::lock_guard lock{guard_};
            any = !line_.empty();
        }
        if (any && begin(reading))
            run_all(take(reading));
        else if (any && !reading)
            read_meanwhile();
    } catch (const failure& why) {
        operations_->tx.abandon();
        give_up_overdue(why);
    }
    send_notices();
}

bool engine::open() {
    try {
        in_ = inside_ ? std::make_unique<connection>(inside_) : open_database(at_);
        operations_ = std::make_unique<operations>(*in_, idle_, clock_, random_key(), inside_ != nullptr);
        if (const char* name = at_.in_memory() ? nullptr : sqlite3_db_filename(in_->raw(), "main"))
            file_ = name;
        if (!at_.in_memory() && !inside_) door_ = std::make_unique<doorbell>(file_);
        return true;
    } catch (const failure& why) {
        if (may_pass(why)) {
            give_up_overdue(why);
        } else {
            fail_all(std::make_exception_ptr(store_error{in_words("open", at_, why)}));
        }
    } catch (...) {
        fail_all(std::current_exception());
    }
    operations_.reset();
    in_.reset();
    return false;
}

bool engine::begin(bool reading) {
    try {
        // The tables may have been rolled back with the transaction in which they were made.
        if (inside_) {
            operations_->tx.must_be_open();
            make_ready_inside(*in_, at_);
        }
        operations_->tx.begin(reading);
        return true;
    } catch (const failure& why) {
        if (!may_pass(why)) throw;
        give_up_overdue(why);
    } catch (const store_error&) {
        fail_all(std::current_exception());
    }
    return false;
}

engine::jobs engine::take(bool reading) {
    const std::lock_guard lock{guard_};
    jobs taken;
    std::size_t tasks = 0;
    // What came since may write, and waits for the next turn then.
    while (!line_.empty() && (!reading || line_.front()->reads)) {
        tasks += line_.front()->tasks;
        if (at_.in_memory() && !taken.empty() && tasks > tasks_in_memory) break;
        taken.push_back(std::move(line_.front()));
        line_.pop_front();
    }
    return taken;
}

// What only looks needs no lock, and whoever has the file locked may be waiting for its answer.
void engine::read_meanwhile() {
    const auto reads = [](const auto& one) { return one->reads; };
    {
        const std::lock_guard lock{guard_};
        if (std::ranges::none_of(line_, reads)) return;
    }
    if (!begin(true)) return;
    jobs readers;
    {
        const std::lock_guard lock{guard_};
        std::ranges::copy_if(line_, std::back_inserter(readers), reads);
        std::erase_if(line_, reads);
    }
    run_all(readers);
}

void engine::run_all(const jobs& all) {
    std::exception_ptr failed;
    try {
        for (const auto& one : all) {
            operations_->enter(*one->by);
            one->run(*operations_);
            operations_->leave();
        }
        operations_->tx.commit();
    } catch (...) {
        failed = std::current_exception();
    }
    if (!failed) {
        if (!std::ranges::all_of(all, [](auto& one) { return one->reads; })) note_success();
        for (const auto& one : all) one->answer(nullptr);
        // Inside, whoever commits the transaction says so.
        if (!inside_) tell_other_processes();
        return;
    }
    operations_->tx.abandon();
    for (const auto& one : all) run_one(one);
}

void engine::run_one(const std::shared_ptr<job>& one) {
    try {
        operations_->tx.begin(one->reads);
        operations_->enter(*one->by);
        one->run(*operations_);
        operations_->leave();
        operations_->tx.commit();
    } catch (const failure& why) {
        operations_->tx.abandon();
        return judge(one, why);
    } catch (...) {
        operations_->tx.abandon();
        return one->answer(std::current_exception());
    }
    if (!one->reads) note_success();
    one->answer(nullptr);
    if (!inside_) tell_other_processes();
}

// It goes back to the line while it may still be done.
void engine::judge(const std::shared_ptr<job>& one, const failure& why) {
    const bool overdue = one->until && std::chrono::steady_clock::now() >= *one->until;
    const bool is_full = why.code == SQLITE_FULL;
    if (may_pass(why)) note_trouble(why);
    if (!may_pass(why) || overdue || (is_full && one->adds))
        return one->answer(std::make_exception_ptr(store_error{in_words(one->name, at_, why)}));
    const std::lock_guard lock{guard_};
    line_.push_front(one);
    not_before_ = std::chrono::steady_clock::now() + pause_after_failure;
}

void engine::give_up_overdue(const failure& why) {
    const auto now = std::chrono::steady_clock::now();
    const bool passes = may_pass(why);
    if (passes) note_trouble(why);
    jobs over;
    {
        const std::lock_guard lock{guard_};
        for (const auto& one : line_) {
            if (!passes || (one->until && *one->until <= now)) over.push_back(one);
        }
        std::erase_if(line_, [&](const auto& one) { return std::ranges::find(over, one) != over.end(); });
        if (!is_locked(why)) not_before_ = now + pause_after_failure;
    }
    for (const auto& one : over)
        one->answer(std::make_exception_ptr(store_error{in_words(one->name, at_, why)}));
}

// Once for each trouble; of a lock only when it lasts.
void engine::note_trouble(const failure& why) {
    const auto now = std::chrono::steady_clock::now();
    if (!failing_since_) failing_since_ = now;
    if (told_of_trouble_ || (is_locked(why) && now - *failing_since_ < usual_lock)) return;
    told_of_trouble_ = true;
    tell_all(in_words(at_, why));
}

void engine::note_success() {
    failing_since_.reset();
    if (std::exchange(told_of_trouble_, false)) tell_all(at_.shown + ": it can be written to again");
}

void engine::tell_all(const std::string& words) {
    const std::lock_guard lock{guard_};
    for (const auto* one : idle_.callers()) {
        if (one->closed) continue;
        boost::asio::post(one->executor, [to = one->trouble, words] {
            if (*to) (*to)(words);
        });
    }
}

void engine::fail_all(std::exception_ptr why) {
    jobs all;
    {
        const std::lock_guard lock{guard_};
        all.assign(line_.begin(), line_.end());
        line_.clear();
    }
    for (const auto& one : all) one->answer(why);
}

void engine::send_notices() {
    auto notices = operations_->tx.take_notices();
    if (notices.empty()) return;
    const std::lock_guard lock{guard_};
    for (auto& one : notices) {
        if (one.to->closed) continue;
        boost::asio::post(one.to->executor, [listener = one.to->listener, said = std::move(one)] {
            if (*listener) tell(**listener, said);
        });
    }
}

}  // namespace errand::sqlite
