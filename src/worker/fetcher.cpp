#include "worker/fetcher.hpp"

#include <errand/error.hpp>

#include "core/bundles.hpp"
#include "core/pace.hpp"
#include "core/random.hpp"
#include "runtime/task_event.hpp"
#include "worker/announce.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {
// Below this a second call under way makes both smaller and nothing faster.
constexpr std::size_t worth_a_second_lane = 25;

constexpr std::chrono::milliseconds worth_waiting_for{1};

// No sooner is it looked whether what this worker has put off is due, as it may put off thousands a second.
constexpr duration put_off_at_least{50};

// When a bundle that the item of this record has begun closes by itself. Of one that was there it is known.
duration closes_within(std::string_view record) {
    try {
        const auto joined = decode_joining(record);
        if (joined.wait > duration{0} && joined.grace > duration{0})
            return std::min(joined.wait, joined.grace);
        return std::max(joined.wait, joined.grace);
    } catch (const bad_data&) {
        return duration{0};
    }
}
}  // namespace

fetcher::fetcher(worker_shared& shared, loop& home, slot_share slots, reporter& reports,
                 std::function<void()> settled)
    : shared_{shared},
      home_{home},
      slots_{slots},
      reports_{reports},
      settled_{std::move(settled)},
      lanes_{lane_state{home.executor()}, lane_state{home.executor()}},
      pause_{home.executor()},
      soon_{home.executor()},
      again_{home.executor()} {
    static_assert(store::work_lanes == 2);
}

void fetcher::start() {
    // Detached: a lane ends only when the worker does, and throws nothing.
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        asio::co_spawn(home_.executor(), run(lane), asio::detached);
    asio::co_spawn(home_.executor(), claim_now_and_then(), asio::detached);  // likewise
}

void fetcher::woken() {
    ++wakes_;
    hungry_ = true;
    tell_wish();
    look();
}

// The worker stands in no idle set now. To get back there it claims, with the report of this task if that comes soon: so a
// short task costs one call and not two.
void fetcher::given(claimed_task task) {
    ++wakes_;
    hungry_ = true;
    tell_wish();
    given_.push_back(std::move(task));
    take_given();
    soon_.expires_after(worth_waiting_for);
    soon_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) look();
    });
}

// Slots that a claim under way has reserved may turn out to be free: its answer decides.
void fetcher::take_given() {
    while (!given_.empty()) {
        const bool room = claims_ && slots_.free() > 0;
        if (!room && claims_ && slots_.reserved() > 0) return;
        auto task = std::move(given_.front());
        given_.pop_front();
        slots_.settle(0, 1);
        if (!room) {
            executor_->decline(std::move(task));
            continue;
        }
        tell_claimed(task);
        std::vector<claimed_task> one;
        one.push_back(std::move(task));
        executor_->take(std::move(one));
    }
}

void fetcher::settled() {
    take_given();
    look();
}

void fetcher::look() {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        auto& one = lanes_[lane];
        if (!one.waits || !wanted(lane)) continue;
        one.waits = false;
        one.gate.open();
        return;  // the other one looks when this one has sent
    }
}

void fetcher::stop_claiming() {
    claims_ = false;
    tell_wish();
}

void fetcher::stop() {
    stopped_ = true;
    pause_.cancel();
    soon_.cancel();
    again_.cancel();
    for (auto& lane : lanes_) lane.gate.open();
}

awaitable<void> fetcher::run(std::size_t lane) {
    auto& me = lanes_[lane];
    while (!stopped_) {
        if (!wanted(lane)) {
            me.waits = true;
            co_await me.gate.wait();
            me.waits = false;
            continue;
        }
        std::exception_ptr failure;
        try {
            co_await pass(lane);
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure && !stopped_) co_await recover_from(failure);
    }
}

awaitable<void> fetcher::claim_now_and_then() {
    claimed_at_ = steady::now();
    while (!stopped_) {
        const auto next = claimed_at_ + claim_interval(random_unit());
        again_.expires_at(next);
        co_await again_.async_wait(asio::as_tuple(asio::use_awaitable));
        const auto now = steady::now();
        if (stopped_ || now < next || claimed_at_ + claim_interval(0) > now) continue;
        claimed_at_ = now;
        doubts_ = true;
        woken();
    }
}

awaitable<void> fetcher::recover_from(std::exception_ptr failure) {
    announce_failure(shared_.app, "reporting and claiming", failure);
    hungry_ = true;
    ++resting_;
    tell_wish();
    pause_.expires_after(std::chrono::milliseconds{500 + static_cast<int>(random_unit() * 1000)});
    co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
    --resting_;
    tell_wish();
}

// While it waits after a failure others are not to wait for it.
void fetcher::tell_wish() { slots_.wants(slot_user::fetcher, claims_ && hungry_ && resting_ == 0); }

std::size_t fetcher::claimable() const { return claims_ && hungry_ ? slots_.free() : 0; }

bool fetcher::wanted(std::size_t lane) const {
    if (lanes_[lane].in_flight) return false;
    const auto reports = reports_.waiting();
    if (in_flight_ == 0) return reports > 0 || claimable() > 0;
    return reports + (plenty_ ? claimable() : 0) >= worth_a_second_lane;
}

// Half of what is free when the other lane is to claim the rest: one that takes all leaves the other nothing
// to do.
std::size_t fetcher::claim_limit() const {
    const auto free = claimable();
    const bool shared = plenty_ && in_flight_ == 0 && free >= 2 * worth_a_second_lane;
    return shared ? (free + 1) / 2 : free;
}

awaitable<void> fetcher::pass(std::size_t lane) {
    work_call call;
    call.lane = lane;
    auto sent = reports_.load(call);
    call.claim.limit = claim_limit();
    if (call.claim.limit > 0) call.claim.queues = shared_.queues.order(random_unit);
    call.claim.lease = shared_.app.settings.lease;
    // With others there is no slot that a task could be given to: it may be their turn.
    call.claim.takes_given = !slots_.has_others();
    call.claim.shares_slots = slots_.has_others();
    call.claim.keeps_queues = true;
    call.claim.trusts_wakes = !doubts_;
    const auto wakes_before = wakes_;
    slots_.reserve(call.claim.limit);
    lanes_[lane].in_flight = true;
    ++in_flight_;
    look();
    work_answer answer;
    std::exception_ptr failure;
    try {
        answer = co_await home_.tasks().work(call);
    } catch (...) {
        failure = std::current_exception();
    }
    lanes_[lane].in_flight = false;
    --in_flight_;
    slots_.settle(call.claim.limit, answer.claimed.size());
    take_given();
    if (failure) {
        reports_.put_back(call, std::move(sent));
        std::rethrow_exception(failure);
    }
    reports_.delivered(call, sent, answer);
    learn(call, answer, wakes_before);
    executor_->take(std::move(answer.claimed));
    look();
    if (idle()) settled_();
}

// Where no claim says when what was put off falls due.
void fetcher::look_after_put_off(const std::vector<report>& reports) const {
    std::optional<duration> first;
    for (const auto& one : reports) {
        if (!sets_a_time(one)) continue;
        const auto length = one.what == report::kind::join ? closes_within(one.record) : one.delay;
        first = std::min(first.value_or(length), length);
    }
    if (first && shared_.falls_due) shared_.falls_due(std::max(*first, put_off_at_least));
}

void fetcher::tell_claimed(const claimed_task& task) const {
    if (shared_.app.events.heard(event_kind::task_claimed))
        shared_.app.events.publish(task_event(event_kind::task_claimed, task));
}

// A wake-up that came while the call was under way may have been meant for after it: then the claim is
// repeated.
void fetcher::learn(const work_call& call, const work_answer& answer, unsigned wakes_before) {
    if (answer.claimed.size() >= call.claim.limit) look_after_put_off(call.reports);
    if (call.claim.limit == 0) return;
    if (!answer.skipped) {
        claimed_at_ = steady::now();
        doubts_ = false;
    }
    plenty_ = answer.claimed.size() >= call.claim.limit;
    hungry_ = plenty_ || wakes_ != wakes_before;
    tell_wish();
    for (const auto& task : answer.claimed) tell_claimed(task);
    if (answer.next_due && answer.next_due != told_due_ && shared_.falls_due) {
        shared_.falls_due(std::max(*answer.next_due - answer.now, duration{0}));
    }
    told_due_ = answer.next_due;
}

}  // namespace errand
