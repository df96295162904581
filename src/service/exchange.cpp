// Its life, and what is said of tasks. exchange_claims.cpp: how they are taken; exchange_leases.cpp: how they are kept.
#include "service/exchange.hpp"

#include <errand/error.hpp>

#include "core/pace.hpp"
#include "core/random.hpp"
#include "service/claim_together.hpp"
#include "store/report_load.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <utility>

namespace errand::web {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

constexpr std::size_t most_answers_remembered = 20'000;
constexpr std::chrono::milliseconds after_a_failure{200};
constexpr std::chrono::seconds at_the_end{1};

}  // namespace

exchange::exchange(detail::app_core& app, loop& home)
    : app_{app},
      home_{home},
      executor_{home.executor()},
      store_{app.open_store(home.context(), settings_of_store(app, app.next_name(caretaker::kind), false))},
      lanes_{lane_state{executor_}, lane_state{executor_}},
      changed_{executor_},
      pause_{executor_},
      tick_{executor_},
      gates_{app} {
    static_assert(store::work_lanes == 2);
    store_->listen(this);
}

exchange::~exchange() { store_->listen(nullptr); }

// ---- its life ----

awaitable<void> exchange::ready() {
    const auto asked = steady::now();
    while (state_ == opening::under_way) co_await changed_.wait();
    if (state_ == opening::closed && open_failure_ && open_failed_at_ >= asked)
        std::rethrow_exception(open_failure_);
    if (stopped_) throw store_error{"this service is stopping"};
    if (state_ == opening::open) co_return;
    state_ = opening::under_way;
    std::exception_ptr failure;
    try {
        // It learns what is set of handlers.
        co_await home_.ready();
        co_await store_->open();
    } catch (...) {
        failure = std::current_exception();
    }
    state_ = failure ? opening::closed : opening::open;
    open_failure_ = failure;
    open_failed_at_ = steady::now();
    changed_.open();
    if (failure) std::rethrow_exception(failure);
    if (!stopped_) start();
}

void exchange::start() {
    const auto self = shared_from_this();
    running_ = lanes_.size();
    // Detached: they throw nothing, and stop() ends them.
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        asio::co_spawn(executor_, run(lane, self), asio::detached);
    asio::co_spawn(executor_, look_now_and_then(self), asio::detached);
    // Where calls are made by hand nothing happens by itself.
    if (app_.threadless) return;
    auto may_adopt = [weak = weak_from_this(), executor = executor_] {
        asio::post(executor, [weak] {
            if (const auto there = weak.lock()) there->stands_aside();
        });
    };
    care_ = std::make_unique<caretaker>(app_, std::move(may_adopt));
    asio::co_spawn(executor_, start_care(self), asio::detached);
}

awaitable<void> exchange::start_care(std::shared_ptr<exchange> self) {
    try {
        co_await self->care_->start();
    } catch (const std::exception& why) {
        if (self->stopped_) co_return;
        self->app_.log->warn("tasks that are taken over HTTP are not looked after by this service: {}",
                             why.what());
    }
}

awaitable<void> exchange::stop() {
    stopped_ = true;
    for (const auto& [name, group] : groups_) {
        for (const auto& one : group->waiting) {
            one->tried = true;
            one->changed.cancel();
        }
    }
    for (const auto& group : hungry_) group->hungry = false;
    hungry_.clear();
    tick_.cancel();
    pause_.cancel();
    for (auto& lane : lanes_) lane.gate.open();
    // What goes back is told, also what a call brings for who is gone, unless the store is away.
    if (state_ == opening::open) {
        asio::steady_timer enough{executor_, at_the_end};
        bool over = false;
        enough.async_wait([&](const boost::system::error_code& ec) {
            over = true;
            if (!ec) changed_.open();
        });
        while ((!on_their_way_.empty() || claiming_ > 0) && !over) co_await changed_.wait();
        enough.cancel();
        // Its handler refers to what is here.
        while (!over) co_await asio::post(executor_, asio::use_awaitable);
        if (care_) co_await care_->leave();
    }
    store_->close();
    while (running_ > 0) co_await changed_.wait();
    care_.reset();
}

bool exchange::any_work() const {
    return !reports_.empty() || !hungry_.empty() || (closes_now_ && !closed_.empty());
}

void exchange::look() {
    if (!any_work()) return;
    for (auto& lane : lanes_) {
        if (!lane.waits) continue;
        lane.waits = false;
        lane.gate.open();
        return;  // the other one looks when this one has loaded
    }
}

awaitable<void> exchange::run(std::size_t lane, std::shared_ptr<exchange> self) {
    auto& me = lanes_[lane];
    while (!stopped_ || !reports_.empty()) {
        if (any_work()) {
            co_await pass(lane);
            continue;
        }
        me.waits = true;
        co_await me.gate.wait();
        me.waits = false;
    }
    --self->running_;
    changed_.open();
}

awaitable<void> exchange::pass(std::size_t lane) {
    work_call call;
    call.lane = lane;
    const auto sent = load(call);
    auto party = next_party();
    if (!party.empty()) {
        call.claim.queues = party.front()->queues.order(random_unit);
        call.claim.limit = limit_of(party);
        call.claim.lease = party.front()->wish.lease;
        call.claim.apart = claims_apart(party);
    }
    call.closed = std::exchange(closed_, {});
    closes_now_ = false;
    if (sent.empty() && party.empty() && call.closed.empty()) co_return;
    const auto wakes_before = wakes_;
    const auto last_number = orders_;
    const bool claims = !party.empty();
    if (claims) ++claiming_;
    look();
    work_answer answer;
    std::exception_ptr failure;
    try {
        answer = co_await store_->work(call);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) {
        call_answered(sent, answer);
        if (claims) co_await serve(std::move(party), std::move(answer), wakes_before, last_number);
    }
    if (claims && --claiming_ == 0 && stopped_) changed_.open();
    if (!failure) co_return;
    for (const auto& one : party) {
        one->failure = failure;
        one->under_way = false;
        one->changed.cancel();
    }
    if (!party.empty()) {
        // Who stood behind them has waited as long for the store.
        for (const auto& other : party.front()->group->waiting) {
            if (other->tried || other->number > last_number) continue;
            other->failure = failure;
            other->changed.cancel();
        }
    }
    call_failed(sent, call, failure);
    if (stopped_) co_return;
    pause_.expires_after(after_a_failure);
    co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
}

// A wake-up may be lost, whatever loses it.
awaitable<void> exchange::look_now_and_then(std::shared_ptr<exchange> self) {
    while (!self->stopped_) {
        tick_.expires_after(claim_interval(random_unit()));
        co_await tick_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (stopped_) break;
        forget_old();
        closes_now_ = true;
        ++asides_;
        make_all_hungry();
        look();
    }
}

// ---- reports ----

std::vector<std::shared_ptr<exchange::pending_report>> exchange::load(work_call& call) {
    std::vector<std::shared_ptr<pending_report>> sent;
    std::size_t bytes = 0;
    while (!reports_.empty() && sent.size() < most_reports_per_call) {
        bytes += reports_.front()->what.record.size();
        if (!sent.empty() && bytes > store::most_bytes_per_call) break;
        sent.push_back(std::move(reports_.front()));
        reports_.pop_front();
        call.reports.push_back(sent.back()->what);
    }
    return sent;
}

void exchange::add(const std::shared_ptr<pending_report>& one) {
    if (!on_their_way_.emplace(attempt_key{one->what.id, one->what.claim}, one).second) return;
    reports_.push_back(one);
    look();
}

void exchange::put(report one) {
    auto own = std::make_shared<pending_report>(executor_);
    own->what = std::move(one);
    own->own = true;
    add(own);
}

awaitable<report_verdict> exchange::hand_in(report one) {
    const attempt_key key{one.id, one.claim};
    while (on_their_way_.contains(key) && !stopped_) co_await changed_.wait();
    if (stopped_) throw store_error{"this service is stopping: nothing was reported"};
    const auto mine = std::make_shared<pending_report>(executor_);
    mine->what = std::move(one);
    // One of several servers that is away has what is for it, and says so late.
    mine->changed.expires_after(2 * app_.settings.store_timeout);
    add(mine);
    bool late = false;
    while (!mine->verdict && !mine->failure && !late) {
        const auto [cancelled] = co_await mine->changed.async_wait(asio::as_tuple(asio::use_awaitable));
        late = !cancelled;
    }
    if (mine->failure) std::rethrow_exception(mine->failure);
    if (mine->verdict) co_return *mine->verdict;
    forget_on_its_way(mine);
    throw store_error{"a part of the store does not answer"};
}

void exchange::forget_on_its_way(const std::shared_ptr<pending_report>& one) {
    const auto at = on_their_way_.find(attempt_key{one->what.id, one->what.claim});
    if (at != on_their_way_.end() && at->second == one) on_their_way_.erase(at);
    changed_.open();
}

void exchange::call_answered(const std::vector<std::shared_ptr<pending_report>>& sent,
                             const work_answer& answer) {
    const std::set<std::size_t> later{answer.later.begin(), answer.later.end()};
    for (std::size_t at = 0; at < sent.size(); ++at) {
        if (!later.contains(at)) settle(sent[at], answer.verdicts.at(at));
    }
}

void exchange::call_failed(const std::vector<std::shared_ptr<pending_report>>& sent, work_call& call,
                           const std::exception_ptr& why) {
    closed_.insert(closed_.end(), call.closed.begin(), call.closed.end());
    for (const auto& one : sent) {
        if (one->own && !stopped_) {
            reports_.push_back(one);
            continue;
        }
        one->failure = why;
        forget_on_its_way(one);
        one->changed.cancel();
    }
}

void exchange::settle(const std::shared_ptr<pending_report>& one, report_verdict verdict) {
    if (one->verdict || one->failure) return;
    one->verdict = verdict;
    forget_on_its_way(one);
    let_go(one->what.id, one->what.claim);
    one->changed.cancel();
    if (one->what.what == report::kind::aside && verdict == report_verdict::accepted) stands_aside();
}

void exchange::report_answered(const task_id& id, claim_number claim, report_verdict verdict) {
    const auto at = on_their_way_.find(attempt_key{id, claim});
    if (at == on_their_way_.end()) return;
    const auto one = at->second;
    settle(one, verdict);
}

void exchange::remember(const task_id& id, claim_number claim, answered_report said) {
    if (!answered_.emplace(attempt_key{id, claim}, said).second) return;
    answered_first_.emplace_back(id, claim);
    if (answered_first_.size() <= most_answers_remembered) return;
    answered_.erase(answered_first_.front());
    answered_first_.pop_front();
}

const exchange::answered_report* exchange::answered(const task_id& id, claim_number claim) const {
    const auto at = answered_.find(attempt_key{id, claim});
    return at == answered_.end() ? nullptr : &at->second;
}

}  // namespace errand::web
