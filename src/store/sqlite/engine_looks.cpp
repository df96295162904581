// When the engine of a file looks at what other processes did: when one of them knocks, where that is heard, and else often.
#include "store/sqlite/engine.hpp"
#include "store/sqlite/refusal.hpp"

#include <algorithm>

namespace errand::sqlite {

using namespace std::chrono_literals;

namespace {

// How often the file is looked at where no knock is heard: while somebody waits for what other processes do, and else, which
// is also how often at most where they are heard.
constexpr std::chrono::milliseconds short_look{15}, long_look{100};
// Before the next look after one at what was for others, who may write all the time; and after so many of those, a multiple.
constexpr std::chrono::microseconds vain_look{250};
constexpr int most_vain_looks = 8;

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
    using std::chrono::nanoseconds;
    const nanoseconds rest =
        std::max<nanoseconds>(not_to_look_before() - std::chrono::steady_clock::now(), 0ns);
    const bool for_knocks = rest == 0ns;
    const nanoseconds longest = for_knocks && !unseen_ ? nanoseconds{latest_look_} : rest;
    asleep_ = true;
    lock.unlock();
    door_->sleep(longest, for_knocks);
    lock.lock();
    asleep_ = false;
}

// A process in which nobody waits, or waits for something else, does not look at each commit of those that work; nor, as it hears its
// own knocks too, at each of its own.
job::moment engine::not_to_look_before() const {
    return std::max(again_at_, waits_for_others_ ? job::moment{} : looked_at_ + long_look);
}

// When another process has written.
void engine::look_if_changed() {
    if (operations_->tx.overtaken()) unseen_ = true;
    if (!unseen_) looked_at_ = std::chrono::steady_clock::now();
    if (!unseen_ || std::chrono::steady_clock::now() < not_to_look_before()) return;
    try {
        unseen_ = !look();
    } catch (const failure&) {
        again_at_ = std::chrono::steady_clock::now() + short_look;
        throw;
    }
}

// False: there is mail, of which more is left, or the file is locked by somebody who may be waiting for a call that only reads.
bool engine::look() {
    looked_at_ = std::chrono::steady_clock::now();
    operations_->tx.begin(true);
    const bool mail = operations_->look_around();
    operations_->tx.commit();
    const bool vain = !mail && !operations_->tx.any_notices();
    vain_looks_ = vain ? std::min(vain_looks_ + 1, most_vain_looks) : 0;
    const auto now = std::chrono::steady_clock::now();
    // Most of the time is left to what calls for it also where many queues are looked at.
    if (vain)
        again_at_ = now + std::max<job::moment::duration>(vain_looks_ * vain_look, 4 * (now - looked_at_));
    if (!mail) return true;
    try {
        operations_->tx.begin(false);
        const bool more = operations_->fetch_mail();
        operations_->tx.commit();
        if (more) {
            looked_at_ = again_at_ = {};
            return false;
        }
    } catch (const failure& why) {
        if (!is_locked(why)) throw;
        operations_->tx.abandon();
        again_at_ = std::chrono::steady_clock::now() + short_look;
        return false;
    }
    return true;
}

void engine::tell_other_processes() {
    if (operations_ && operations_->tx.take_concerns_others() && !file_.empty()) knock_at(file_);
}

}  // namespace errand::sqlite
