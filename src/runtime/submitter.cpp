#include "runtime/submitter.hpp"

#include <errand/error.hpp>

#include "runtime/operation_aborted.hpp"
#include "runtime/submit_limits.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {
// Larger calls keep the store busy for longer than they save round trips.
constexpr std::size_t tasks_per_submission = 500;
// Of so many callers that are answered together, what the first few submit next leaves before the others go on, and then what
// each hundred does: so the store does theirs meanwhile, and neither side waits for the other. With fewer, two calls cost
// more than they save (measured).
constexpr std::size_t many_callers = 30, a_few = 10, a_lot = 100;
bool lets_them_leave(std::size_t answered, std::size_t of) {
    return of >= many_callers && answered < of && (answered == a_few || answered % a_lot == 0);
}
// So often a loop comes by until a request that was handed to the connection has been written.
constexpr int turns_until_written = 3;

// What an item counts for: looking at the parents of a task costs the store far more than their bytes.
std::size_t weight_of(const submission_item& item) {
    constexpr std::size_t of_parent = store::most_bytes_per_call / 100;
    return item.body.size() + std::min(item.after.size(), store::parents_per_call) * of_parent;
}

// How many of the next `count` items one call carries: one at least. `size_of(i)`: bytes of the i-th.
template <class Size>
std::size_t fitting(std::size_t count, Size size_of) {
    std::size_t n = 0;
    for (std::size_t bytes = 0; n < std::min(count, tasks_per_submission); ++n) {
        bytes += size_of(n);
        if (n > 0 && bytes > store::most_bytes_per_call) break;
    }
    return n;
}

using group_completion = asio::any_completion_handler<void(std::exception_ptr)>;

// Completes it, unless that has been done. `dispatch`ed: it runs on its own executor.
template <class Completion, class... Result>
void complete(Completion& done, std::exception_ptr failure, Result... result) {
    if (!done) return;
    asio::get_associated_cancellation_slot(done).clear();
    asio::dispatch(asio::append(std::move(done), std::move(failure), std::move(result)...));
}

// Completes it as aborted when its waiter is cancelled. A slot must not resume from within: hence the post.
template <class Completion, class... Result>
std::shared_ptr<Completion> cancellable(const asio::any_io_executor& executor, Completion handler,
                                        Result... none) {
    auto done = std::make_shared<Completion>(std::move(handler));
    auto slot = asio::get_associated_cancellation_slot(*done);
    if (!slot.is_connected()) return done;
    slot.assign([executor, done, none...](asio::cancellation_type) {
        if (!*done) return;
        auto ended = std::move(*done);
        asio::post(executor, asio::append(std::move(ended), operation_aborted(), none...));
    });
    return done;
}

}  // namespace

// A bulk submission: cut into parts that both lanes send, complete when the last part is answered.
struct submitter::group {
    std::vector<submission_item> items;
    submit_mode mode = submit_mode::each;
    group_answer answer;
    std::size_t next = 0;  // the first item that no call has taken yet
    std::size_t answered = 0;
    std::size_t flying = 0;  // parts in calls
    struct part_in_call {
        std::size_t from = 0;
        std::size_t count = 0;
    };
    std::array<part_in_call, store::submit_lanes> in_call{};
    clock::time_point since;  // it came, or its last part was accepted
    bool over = false;
    std::shared_ptr<group_completion> done;

    // How many items the next call takes.
    std::size_t part() const {
        const auto left = items.size() - next;
        if (mode != submit_mode::each) return left;
        return fitting(left, [this](std::size_t i) { return weight_of(items[next + i]); });
    }
};

awaitable<submit_answer> submitter::submit(submission_item&& item) {
    room_.enter(1, item.body.size());
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, submit_answer)>(
        [this](auto done, submission_item one) {
            singles_.push_back({std::move(one),
                                {cancellable(executor_, completion{std::move(done)}, submit_answer{}),
                                 clock::now()}});
            start_lanes();
            watch();
        },
        asio::use_awaitable, std::move(item));
}

awaitable<submitter::group_answer> submitter::submit_group(std::vector<submission_item> items,
                                                           submit_mode mode) {
    auto batch = std::make_shared<group>();
    batch->items = std::move(items);
    batch->mode = mode;
    batch->answer.answers.resize(batch->items.size());
    if (batch->items.empty()) co_return std::move(batch->answer);
    // As of a call that failed: of a batch over several shards others may be taken.
    try {
        room_.enter(batch->items.size(), body_bytes(batch->items));
    } catch (const store_error&) {
        batch->answer.failures.assign(batch->items.size(), std::current_exception());
        batch->answer.items = std::move(batch->items);
        co_return std::move(batch->answer);
    }
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
        [this, &batch](auto done) {
            batch->done = cancellable(executor_, group_completion{std::move(done)});
            batch->since = clock::now();
            groups_.push_back(batch);
            open_groups_.push_back(batch);
            start_lanes();
            watch();
        },
        asio::use_awaitable);
    // A call that goes on reads them still.
    if (batch->flying > 0) {
        batch->answer.items = batch->items;
    } else {
        batch->answer.items = std::move(batch->items);
    }
    co_return std::move(batch->answer);
}

void submitter::close() {
    closed_ = true;
    late_.cancel();
}

// ---- who waits too long ----------------------------------------------------------------------------

std::optional<submitter::clock::time_point> submitter::first_limit() const {
    std::optional<clock::time_point> first;
    const auto take = [&first](clock::time_point limit) {
        if (!first || limit < *first) first = limit;
    };
    if (!singles_.empty()) take(singles_.front().who.since + *patience_);
    for (const auto& lane : on_their_way_) {
        const auto one = std::ranges::find_if(lane, [](const waiter& w) { return bool{*w.done}; });
        if (one != lane.end()) take(one->since + *patience_ + for_the_store);
    }
    for (const auto& one : open_groups_) take(one->since + *patience_ + for_the_store);
    return first;
}

// The timer is set once for many: it looks who is late when it ends, and is set to the next.
void submitter::watch() {
    if (watching_ || closed_ || !patience_) return;
    const auto limit = first_limit();
    if (!limit) return;
    watching_ = true;
    late_.expires_at(*limit);
    late_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        watching_ = false;
        give_up_late();
        watch();
    });
}

// A timer that nobody needs would keep the loop from running empty.
void submitter::rest() {
    for (const bool busy : busy_) {
        if (busy) return;
    }
    if (!watching_) return;
    watching_ = false;
    late_.cancel();
}

void submitter::give_up_late() {
    const auto came_by = clock::now() - *patience_;
    std::vector<std::shared_ptr<completion>> sent, unsent;
    for (auto& lane : on_their_way_) {
        for (const auto& one : lane) {
            if (one.since > came_by - for_the_store) break;
            if (*one.done) sent.push_back(one.done);
        }
    }
    while (!singles_.empty() && singles_.front().who.since <= came_by) {
        room_.leave(1, singles_.front().item.body.size());
        unsent.push_back(std::move(singles_.front().who.done));
        singles_.pop_front();
    }
    const auto groups = open_groups_;
    for (const auto& one : groups) {
        if (one->since <= came_by - for_the_store) give_up(*one);
    }
    for (const auto& one : sent) complete(*one, submit_timed_out(true), submit_answer{});
    for (const auto& one : unsent) complete(*one, submit_timed_out(false), submit_answer{});
}

void submitter::give_up(group& batch) {
    const auto n = batch.items.size();
    batch.over = true;
    batch.answer.failures.resize(n);
    for (const auto& [from, count] : batch.in_call)
        std::fill_n(batch.answer.failures.begin() + static_cast<std::ptrdiff_t>(from), count,
                    submit_timed_out(true));
    std::fill(batch.answer.failures.begin() + static_cast<std::ptrdiff_t>(batch.next),
              batch.answer.failures.end(), submit_timed_out(false));
    room_.leave(n - batch.next, body_bytes(std::span{batch.items}.subspan(batch.next)));
    batch.next = n;
    std::erase_if(groups_, [&batch](const auto& other) { return other.get() == &batch; });
    std::erase_if(open_groups_, [&batch](const auto& other) { return other.get() == &batch; });
    complete(*batch.done, std::exception_ptr{});
}

// ---- sending ---------------------------------------------------------------------------------------

// Singles are begun on one lane: a second one would only make smaller batches. Groups use both.
void submitter::start_lanes() {
    start_lane(0);
    for (std::size_t lane = 1; lane < store::submit_lanes && !groups_.empty(); ++lane) start_lane(lane);
}

void submitter::start_lane(std::size_t lane) {
    if (std::exchange(busy_[lane], true)) return;
    // Throws nothing: every call's failure is answered.
    asio::co_spawn(executor_, run_lane(lane), asio::detached);
}

awaitable<void> submitter::run_lane(std::size_t lane) {
    while (!singles_.empty() || !groups_.empty()) {
        if (!singles_.empty() && (lane == 0 || singles_.size() >= a_few)) {
            co_await send_singles(lane);
        } else if (!groups_.empty()) {
            co_await send_part(lane);
        } else {
            break;
        }
    }
    busy_[lane] = false;
    rest();
}

awaitable<void> submitter::send_singles(std::size_t lane) {
    const std::size_t n =
        fitting(singles_.size(), [this](std::size_t i) { return weight_of(singles_[i].item); });
    std::vector<submission_item> items;
    auto& watched = on_their_way_[lane];
    items.reserve(n);
    watched.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto& [item, who] = singles_.front();
        room_.leave(1, item.body.size());
        items.push_back(std::move(item));
        watched.push_back(std::move(who));
        singles_.pop_front();
    }
    std::vector<submit_answer> answers;
    std::exception_ptr failure;
    try {
        answers = co_await to_.submit(lane, items, submit_mode::each);
    } catch (...) {
        failure = std::current_exception();
    }
    const auto waiters = std::exchange(watched, {});
    for (std::size_t i = 0; i < n; ++i) {
        complete(*waiters[i].done, failure, failure ? submit_answer{} : answers[i]);
        if (!lets_them_leave(i + 1, n)) continue;
        if (singles_.size() >= a_few) start_lane(1);
        for (int turn = 0; turn < turns_until_written; ++turn)
            co_await asio::post(executor_, asio::use_awaitable);
    }
}

awaitable<void> submitter::send_part(std::size_t lane) {
    auto batch = groups_.front();
    const std::size_t from = batch->next;
    const std::size_t n = batch->part();
    batch->next += n;
    if (batch->next == batch->items.size()) groups_.pop_front();
    const auto some = std::span{batch->items}.subspan(from, n);
    room_.leave(n, body_bytes(some));
    batch->in_call[lane] = {from, n};
    ++batch->flying;
    std::vector<submit_answer> answers;
    std::exception_ptr failure;
    try {
        answers = co_await to_.submit(lane, some, batch->mode);
    } catch (...) {
        failure = std::current_exception();
    }
    batch->in_call[lane] = {};
    --batch->flying;
    if (batch->over) co_return;
    const auto first = static_cast<std::ptrdiff_t>(from);
    if (failure) {
        batch->answer.failures.resize(batch->items.size());
        std::fill_n(batch->answer.failures.begin() + first, n, failure);
    } else {
        std::ranges::copy(answers, batch->answer.answers.begin() + first);
        batch->since = clock::now();
    }
    batch->answered += n;
    if (batch->answered == batch->items.size()) {
        std::erase(open_groups_, batch);
        complete(*batch->done, std::exception_ptr{});
    }
}

}  // namespace errand
