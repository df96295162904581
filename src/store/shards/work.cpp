// work over several shards: reports go to the shard of their task, free slots are shared.
#include <errand/error.hpp>

#include "core/record.hpp"
#include "store/report_load.hpp"
#include "store/shards/sharded_store.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

// So long a worker has to take what one shard gave it late: then it goes back.
constexpr std::chrono::milliseconds late_ones_wait{100};
constexpr std::chrono::seconds after_a_failure{1};

template <class T>
void move_to(std::vector<T>& to, std::vector<T>& from) {
    std::ranges::move(from, std::back_inserter(to));
    from.clear();
}

awaitable<void> pause_of(asio::any_io_executor executor, std::chrono::milliseconds length) {
    asio::steady_timer timer{executor, length};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace

// One lane's call in one shard.
struct sharded_store::work_part {
    std::size_t shard = 0;
    work_call call;
    std::vector<std::size_t> indexes{};  // of its reports in the whole
    work_answer answer{};
    std::exception_ptr failure{};
    unsigned asked_as = 0;  // of its claim
    bool done = false;
    bool late = false;  // the call of the whole went on without it
    std::shared_ptr<asio::steady_timer> ended{};

    bool has_work() const { return !call.reports.empty() || !call.closed.empty() || call.claim.limit > 0; }
};

claimed_task sharded_store::outer(claimed_task one, std::size_t shard) const {
    one.claim = shards::outer_claim(one.claim, shard, shards());
    return one;
}

sharded_store::pending_reports& sharded_store::pending_of(std::size_t lane, std::size_t shard) {
    return pending_.at(lane * shards() + shard);
}

// What falls to each shard. What is for one that still has a call of this lane waits until that is answered.
std::vector<std::shared_ptr<sharded_store::work_part>> sharded_store::parts_of(const work_call& asked,
                                                                               work_answer& got) {
    const auto n = shards();
    std::vector<std::shared_ptr<work_part>> parts;
    for (std::size_t at = 0; at < n; ++at) {
        parts.push_back(std::make_shared<work_part>());
        parts[at]->shard = at;
        parts[at]->call.lane = asked.lane;
    }
    for (std::size_t at = 0; at < asked.reports.size(); ++at) {
        const auto shard = shard_of(asked.reports[at].id);
        auto& pending = pending_of(asked.lane, shard);
        auto& to = pending.under_way ? pending.reports : parts[shard]->call.reports;
        to.push_back(asked.reports[at]);
        to.back().claim = shards::inner_claim(asked.reports[at].claim, n);
        if (pending.under_way)
            got.later.push_back(at);
        else
            parts[shard]->indexes.push_back(at);
    }
    for (const auto claim : asked.closed) {
        const auto shard = shards::shard_of_claim(claim, n);
        auto& pending = pending_of(asked.lane, shard);
        auto& to = pending.under_way ? pending.closed : parts[shard]->call.closed;
        to.push_back(shards::inner_claim(claim, n));
    }
    return parts;
}

awaitable<work_answer> sharded_store::call_of(store& in, std::shared_ptr<work_part> part) {
    co_return co_await in.work(part->call);
}

void sharded_store::start(const asio::any_io_executor& executor, const std::shared_ptr<work_part>& part) {
    pending_of(part->call.lane, part->shard).under_way = true;
    if (part->call.claim.limit > 0 && part->call.claim.keeps_queues)
        part->asked_as = turns_.asks(part->shard, std::chrono::steady_clock::now());
    auto ended = [this, alive = std::weak_ptr{alive_}, executor, part](std::exception_ptr why,
                                                                       work_answer answer) {
        if (alive.expired()) return;
        part->done = true;
        part->failure = why;
        part->answer = std::move(answer);
        pending_of(part->call.lane, part->shard).under_way = false;
        if (part->late)
            came_late(executor, *part);
        else
            part->ended->cancel();
    };
    asio::co_spawn(executor, call_of(*shards_[part->shard], part), std::move(ended));
}

// Until all have answered, or those that have need not wait for the others any longer.
awaitable<void> sharded_store::wait_for(const std::vector<std::shared_ptr<work_part>>& asked,
                                        asio::steady_timer& ended) const {
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + shards::patience_with_one;
    for (;;) {
        const auto answered = std::ranges::count_if(asked, [](const auto& one) { return one->done; });
        if (answered == std::ssize(asked)) co_return;
        // While no shard at all answers there is nothing to go on with.
        const bool go_on = answered > 0 || asked.size() < shards();
        if (go_on && clock::now() >= end) co_return;
        ended.expires_at(go_on ? end : clock::time_point::max());
        co_await ended.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

// What a claim tells of its shard.
void sharded_store::learn(const work_part& from) {
    const auto limit = from.call.claim.limit;
    if (limit == 0) return;
    const auto& answer = from.answer;
    const bool filled = answer.claimed.size() >= limit;
    may_be_idle_[from.shard] = !filled;
    if (!from.call.claim.keeps_queues) return;
    std::optional<shards::claim_turns::due_time> due;
    if (answer.next_due)
        due = shards::claim_turns::due_time{.at = moved(*answer.next_due, answer.now),
                                            .when = std::chrono::steady_clock::now() +
                                                    (*answer.next_due - answer.now),
                                            .theirs = *answer.next_due};
    turns_.answered(from.shard, from.asked_as, filled, due);
}

void sharded_store::note_put_off(const std::vector<report>& reports) {
    for (const auto& one : reports) {
        if (sets_a_time(one)) turns_.put_off(shard_of(one.id));
    }
}

awaitable<work_answer> sharded_store::work(const work_call& asked) {
    const auto n = shards();
    const auto executor = co_await asio::this_coro::executor;
    work_answer got;
    got.verdicts.assign(asked.reports.size(), report_verdict::accepted);
    take_late(asked.claim, got.claimed);
    const auto limit_of_all = asked.claim.limit - got.claimed.size();
    const bool knows = asked.claim.keeps_queues;
    note_put_off(asked.reports);
    auto shares = knows ? shards::claim_shares{turns_, limit_of_all, asked.claim.trusts_wakes,
                                               std::chrono::steady_clock::now()}
                        : shards::claim_shares{turns_, limit_of_all};
    auto parts = parts_of(asked, got);
    std::vector<std::shared_ptr<work_part>> failed;
    bool some = !got.later.empty() || !got.claimed.empty();
    bool skipped = false;  // queues of a shard
    for (;;) {
        // Also one that was asked meanwhile by what gives back what came late.
        for (std::size_t at = 0; at < n; ++at) {
            if (pending_of(asked.lane, at).under_way) shares.leave_out(at);
        }
        const auto limits = shares.next();
        for (std::size_t at = 0; at < limits.size(); ++at) {
            if (limits[at] == 0) continue;
            parts[at]->call.claim = asked.claim;
            parts[at]->call.claim.limit = limits[at];
        }
        std::erase_if(parts, [](const auto& one) { return !one->has_work(); });
        if (parts.empty()) break;
        const auto ended = std::make_shared<asio::steady_timer>(executor);
        for (const auto& one : parts) {
            one->ended = ended;
            start(executor, one);
        }
        co_await wait_for(parts, *ended);
        for (const auto& one : parts) {
            const auto limit = one->call.claim.limit;
            if (!one->done) {
                one->late = some = true;
                got.later.insert(got.later.end(), one->indexes.begin(), one->indexes.end());
                shares.leave_out(one->shard);
                continue;
            }
            if (one->failure) {
                failed.push_back(one);
                shares.leave_out(one->shard);
                continue;
            }
            some = true;
            for (std::size_t r = 0; r < one->indexes.size(); ++r)
                got.verdicts[one->indexes[r]] = one->answer.verdicts[r];
            learn(*one);
            if (!knows) earlier(got.next_due, one->answer.next_due, one->answer.now);
            if (limit > 0) shares.took(one->shard, limit, one->answer.claimed.size());
            skipped = skipped || one->answer.skipped;
            for (auto& task : one->answer.claimed) got.claimed.push_back(outer(std::move(task), one->shard));
        }
        parts = parts_of({.lane = asked.lane, .reports = {}, .closed = {}, .claim = {}}, got);
    }
    // Where this worker waits nothing failed.
    if (!failed.empty() && !some && !shares.skipped()) std::rethrow_exception(failed.front()->failure);
    for (const auto& one : failed) {
        got.later.insert(got.later.end(), one->indexes.begin(), one->indexes.end());
        failed_late(executor, *one);
    }
    for (std::size_t at = 0; at < n; ++at) send_waiting(executor, asked.lane, at);
    got.now = now();
    // Not to be woken by one shard for a slot that another has filled.
    if (asked.claim.limit > 0 && shares.left() == 0) {
        got.next_due.reset();
        co_await take_off(asked.claim.queues);
    } else if (asked.claim.limit > 0 && knows) {
        got.next_due = turns_.next_due(std::chrono::steady_clock::now());
        got.skipped = shares.skipped() || skipped;
    }
    co_return got;
}

// ---- shards that answer late ------------------------------------------------------------------------

void sharded_store::came_late(const asio::any_io_executor& executor, work_part& part) {
    if (part.failure) return failed_late(executor, part);
    for (std::size_t at = 0; at < part.call.reports.size() && listener_; ++at) {
        const auto& one = part.call.reports[at];
        listener_->report_answered(one.id, shards::outer_claim(one.claim, part.shard, shards()),
                                   part.answer.verdicts.at(at));
    }
    learn(part);
    note_put_off(part.call.reports);
    if (!part.answer.claimed.empty()) {
        const auto lease = part.call.claim.lease;
        for (auto& task : part.answer.claimed)
            late_claimed_.push_back({outer(std::move(task), part.shard), lease});
        asio::co_spawn(executor, give_back_late(executor), asio::detached);
    }
    send_waiting(executor, part.call.lane, part.shard);
    // There may be more than it was asked for.
    if (listener_) listener_->woken();
}

// The shard may have done it or not: it is told again.
void sharded_store::failed_late(const asio::any_io_executor& executor, work_part& part) {
    auto& pending = pending_of(part.call.lane, part.shard);
    for (auto& one : part.call.reports) one.again = true;
    move_to(part.call.reports, pending.reports);
    move_to(part.call.closed, pending.closed);
    pending.reports = std::move(part.call.reports);
    pending.closed = std::move(part.call.closed);
    if (closed_) return;
    tell_trouble(part.shard, part.failure);
    pending.under_way = true;
    asio::co_spawn(executor, send_again(executor, part.call.lane, part.shard), asio::detached);
}

awaitable<void> sharded_store::send_again(asio::any_io_executor executor, std::size_t lane,
                                          std::size_t shard) {
    const std::weak_ptr alive{alive_};
    co_await pause_of(executor, after_a_failure);
    if (alive.expired() || closed_) co_return;
    pending_of(lane, shard).under_way = false;
    send_waiting(executor, lane, shard);
    if (listener_) listener_->woken();
}

void sharded_store::send_waiting(const asio::any_io_executor& executor, std::size_t lane, std::size_t shard) {
    auto& pending = pending_of(lane, shard);
    if (pending.under_way || (pending.reports.empty() && pending.closed.empty())) return;
    auto part = std::make_shared<work_part>();
    part->shard = shard;
    part->late = true;
    part->call.lane = lane;
    const auto fits = static_cast<std::ptrdiff_t>(reports_that_fit(pending.reports));
    part->call.reports.assign(std::make_move_iterator(pending.reports.begin()),
                              std::make_move_iterator(pending.reports.begin() + fits));
    pending.reports.erase(pending.reports.begin(), pending.reports.begin() + fits);
    // A claim is closed when all of its reports are there.
    if (pending.reports.empty()) move_to(part->call.closed, pending.closed);
    start(executor, part);
}

// Whole claims alone: one that is left in part would be closed before the rest is known. And none of several tasks where each is to
// have a claim of its own, as those would be given to several who each extend it; nor any of another lease than who asks counts on.
void sharded_store::take_late(const claim_request& asked, std::vector<claimed_task>& to) {
    while (!late_claimed_.empty()) {
        const auto& first = late_claimed_.front();
        const auto end = std::ranges::find_if(late_claimed_, [claim = first.task.claim](const auto& one) {
            return one.task.claim != claim;
        });
        const auto count = static_cast<std::size_t>(end - late_claimed_.begin());
        const bool fits = to.size() + count <= asked.limit && first.lease == asked.lease;
        if (!fits || (asked.apart && count > 1)) return;
        for (auto at = late_claimed_.begin(); at != end; ++at) to.push_back(std::move(at->task));
        late_claimed_.erase(late_claimed_.begin(), end);
    }
}

// Nobody had room for these.
awaitable<void> sharded_store::give_back_late(asio::any_io_executor executor) {
    const std::weak_ptr alive{alive_};
    co_await pause_of(executor, late_ones_wait);
    if (alive.expired() || closed_) co_return;
    for (const auto& [task, lease] : std::exchange(late_claimed_, {})) {
        const auto shard = shard_of(task.id);
        const auto claim = shards::inner_claim(task.claim, shards());
        auto& pending = pending_of(0, shard);
        report back;
        back.id = task.id;
        back.claim = claim;
        back.what = report::kind::give_back;
        back.queue = task.queue;
        try {
            const auto body = decode_body(task.body);
            back.priority = body.priority;
            back.gated = !body.gates.empty();
        } catch (const bad_data&) {  // whoever runs it says so
        }
        back.had_notes = !task.notes.empty();
        pending.reports.push_back(std::move(back));
        if (pending.closed.empty() || pending.closed.back() != claim) pending.closed.push_back(claim);
    }
    for (std::size_t shard = 0; shard < shards(); ++shard) send_waiting(executor, 0, shard);
}

// ---- the others -------------------------------------------------------------------------------------

awaitable<void> sharded_store::take_off(std::span<const std::string> queues) {
    turns_.waits_nowhere();
    if (std::ranges::find(may_be_idle_, true) == may_be_idle_.end()) co_return;
    const auto names = std::make_shared<const std::vector<std::string>>(queues.begin(), queues.end());
    co_await busy_.ask([&](std::size_t at) -> std::optional<awaitable<bool>> {
        if (!may_be_idle_[at]) return std::nullopt;
        may_be_idle_[at] = false;
        return shards::keeping(names, shards::done(shards_[at]->busy(*names)));
    });
}

awaitable<void> sharded_store::busy(std::span<const std::string> queues) {
    turns_.waits_nowhere();
    const auto names = std::make_shared<const std::vector<std::string>>(queues.begin(), queues.end());
    co_await busy_.ask([&](std::size_t at) {
        return shards::keeping(names, shards::done(shards_[at]->busy(*names)));
    });
}

}  // namespace errand
