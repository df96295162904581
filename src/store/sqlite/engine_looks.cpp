// When the engine of a file looks at what other processes did: when one of them knocks, where that is heard, and else often.
#include "store/sqlite/engine.hpp"
#include "store/sqlite/refusal.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// How often the file is looked at where no knock is heard: while somebody waits for what other processes do, and else.
constexpr std::chrono::milliseconds short_look{15}, long_look{100};

}  // namespace

void engine::look_now() {
    {
        const std::lock_guard lock{guard_};
        looks_now_ = true;
    }
    rouse();
}

void engine::rouse() {
    if (asleep_.exchange(false))
        door_->ring();
    else
        changed_.notify_all();
}

// Until there is a call, or it is time to look at what others did.
void engine::wait_for_work(std::unique_lock<std::mutex>& lock) {
    const auto must_act = [this] { return stopping_ || detaching_ > 0; };
    if (not_before_) {
        changed_.wait_until(lock, *not_before_, must_act);
        not_before_.reset();
    } else if (at_.in_memory() || !operations_) {
        changed_.wait(lock, [&] { return must_act() || !line_.empty(); });
    } else {
        const auto look = waits_for_others_ ? short_look : long_look;
        const auto told = [&] { return must_act() || looks_now_ || !line_.empty(); };
        if (!door_->hears())
            changed_.wait_for(lock, look, told);
        else if (!told())
            sleep_by_the_door(lock);
        looks_now_ = false;
    }
}

void engine::sleep_by_the_door(std::unique_lock<std::mutex>& lock) {
    using namespace std::chrono;
    // A process in which nobody waits is not to be woken by each commit of those that work.
    const auto rest = ceil<milliseconds>(looked_at_ + long_look - steady_clock::now());
    const bool for_knocks = waits_for_others_ || rest <= milliseconds{0};
    auto longest = for_knocks ? latest_look.load() : rest;
    if (unseen_) longest = std::min(longest, short_look);
    asleep_ = true;
    lock.unlock();
    door_->sleep(longest, for_knocks);
    lock.lock();
    asleep_ = false;
}

// False: there is mail, and the file is locked by somebody who may be waiting for a call that only reads.
bool engine::look() {
    looked_at_ = std::chrono::steady_clock::now();
    operations_->tx.begin(true);
    const bool mail = operations_->look_around();
    operations_->tx.commit();
    if (!mail) return true;
    try {
        operations_->tx.begin(false);
        operations_->fetch_mail();
        operations_->tx.commit();
    } catch (const failure& why) {
        if (!is_locked(why)) throw;
        operations_->tx.abandon();
        return false;
    }
    return true;
}

void engine::tell_other_processes() {
    if (operations_ && operations_->tx.take_concerns_others() && !at_.in_memory()) knock_at(file_);
}

}  // namespace errand::sqlite
