#include "runtime/submissions.hpp"

#include "core/shelf_rules.hpp"
#include "runtime/operation_aborted.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {
constexpr auto looks_every = std::chrono::milliseconds{100};
}  // namespace

// It lives until its call has ended, whether somebody waits for that or not.
struct submissions::whole {
    whole(const asio::any_io_executor& executor, std::vector<submission_item> all, submit_mode how)
        : changed{executor}, items{std::move(all)}, mode{how} {}
    asio::steady_timer changed;
    std::vector<submission_item> items;
    submit_mode mode;
    std::set<std::size_t> lines{};
    std::size_t lane = 0;
    std::vector<submit_answer> answers{};
    std::exception_ptr failure{};
    bool may_go = false, ended = false;

    // Until it is so, or until then; throws when who waits is cancelled.
    awaitable<void> wait(const bool& so, asio::steady_timer::time_point until) {
        while (!so && asio::steady_timer::clock_type::now() < until) {
            changed.expires_at(until);
            co_await changed.async_wait(asio::as_tuple(asio::use_awaitable));
            const auto state = co_await asio::this_coro::cancellation_state;
            if (state.cancelled() != asio::cancellation_type::none)
                std::rethrow_exception(operation_aborted());
        }
    }
};

submissions::submissions(const asio::any_io_executor& executor, store& to, std::optional<duration> patience)
    : executor_{executor}, to_{to}, patience_{patience}, ahead_{to.shelf_ahead()} {
    const auto lines = to.shards() * (ahead_ ? 2 : 1);
    for (std::size_t at = 0; at < lines; ++at) lines_.emplace_back(executor, to, patience);
}

// What comes again is remembered by the store, but what the shelf remembers; and what depends on others is told by the store.
bool submissions::is_for_shelf(const submission_item& item) const {
    if (!ahead_ || item.waits() || item.instead_of) return false;
    if (item.may_come_again && !(item.may_come_again_there && keeps_holder(item.conflict))) return false;
    if (!item.delay && !item.at) return false;
    const auto now = to_.now();
    return goes_on_shelf(item.at.value_or(now + item.delay.value_or(duration{0})), now, item.shelve_after,
                         *ahead_);
}

// Behind the lines of the shards are those of what asks the shelf, also one for each shard: a shelf that is away holds up nothing that
// the store takes alone, and a shard that is away nothing of the others.
std::size_t submissions::line_of(submission_item& item) const {
    item.for_shelf = is_for_shelf(item);
    item.asks_shelf = item.for_shelf || (ahead_ && shelf_may_know(item));
    return to_.shard_of(item.id) + (item.asks_shelf ? to_.shards() : 0);
}

// Its id is that of a name, or it waits for tasks that may be there, or ends one.
bool submissions::shelf_may_know(const submission_item& item) {
    return ((item.shelve_after || item.may_come_again) && may_be_held(item.id, item.conflict)) ||
           !item.after.empty() || item.instead_of;
}

void submissions::close() {
    for (auto& one : lines_) one.close();
}

awaitable<submit_answer> submissions::submit(submission_item&& item) {
    const auto line = lines_.size() == 1 ? 0 : line_of(item);
    return lines_[line].submit(std::move(item));
}

awaitable<submitter::group_answer> submissions::submit_group(std::vector<submission_item> items,
                                                             submit_mode mode) {
    if (lines_.size() == 1) return lines_.front().submit_group(std::move(items), mode);
    auto lines = lines_of(items, mode);
    if (lines.size() <= 1)
        return lines_[lines.empty() ? 0 : *lines.begin()].submit_group(std::move(items), mode);
    if (mode == submit_mode::each) return submit_apart(std::move(items));
    return submit_whole(std::move(items), mode, std::move(lines));
}

// A batch goes by one kind of line as a whole, and none of it to the shelf.
std::set<std::size_t> submissions::lines_of(std::vector<submission_item>& items, submit_mode mode) const {
    std::set<std::size_t> all;
    const bool whole = mode != submit_mode::each;
    const bool asks = whole && ahead_ && std::ranges::any_of(items, shelf_may_know);
    for (auto& one : items) {
        auto line = to_.shard_of(one.id) + (asks ? to_.shards() : 0);
        if (whole) {
            one.for_shelf = false;
            one.asks_shelf = asks;
        } else {
            line = line_of(one);
        }
        all.insert(line);
    }
    return all;
}

// Each shard takes its own as if nothing else had been asked for.
awaitable<submitter::group_answer> submissions::submit_apart(std::vector<submission_item> items) {
    std::map<std::size_t, std::pair<std::vector<submission_item>, std::vector<std::size_t>>> parts;
    const auto count = items.size();
    for (std::size_t at = 0; at < count; ++at) {
        auto& [mine, indexes] = parts[line_of(items[at])];
        mine.push_back(std::move(items[at]));
        indexes.push_back(at);
    }
    using operation =
        decltype(asio::co_spawn(executor_, lines_.front().submit_group(std::move(items), submit_mode::each),
                                asio::deferred));
    std::vector<operation> calls;
    for (auto& [line, part] : parts) {
        calls.push_back(asio::co_spawn(
            executor_, lines_[line].submit_group(std::move(part.first), submit_mode::each), asio::deferred));
    }
    auto together = asio::experimental::make_parallel_group(std::move(calls));
    auto ended = co_await together.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& failure : std::get<1>(ended)) {
        if (failure) std::rethrow_exception(failure);
    }
    group_answer all;
    all.items.resize(count);
    all.answers.resize(count);
    std::size_t at = 0;
    for (auto& [line, part] : parts) {
        auto& got = std::get<2>(ended)[at++];
        for (std::size_t i = 0; i < part.second.size(); ++i) {
            const auto index = part.second[i];
            all.items[index] = std::move(got.items[i]);
            all.answers[index] = std::move(got.answers[i]);
            if (got.failures.empty() || !got.failures[i]) continue;
            all.failures.resize(count);
            all.failures[index] = got.failures[i];
        }
    }
    co_return all;
}

awaitable<submitter::group_answer> submissions::submit_whole(std::vector<submission_item> items,
                                                             submit_mode mode, std::set<std::size_t> lines) {
    using time = asio::steady_timer::time_point;
    const auto until = patience_ ? asio::steady_timer::clock_type::now() + *patience_ : time::max();
    const auto count = items.size(), bytes = body_bytes(items);
    room_.enter(count, bytes);
    const auto mine = std::make_shared<whole>(executor_, std::move(items), mode);
    mine->lines = std::move(lines);
    wholes_.push_back(mine);
    std::exception_ptr cancelled;
    try {
        let_go();
        // Nobody says when a shard has become late: who has waited longest looks for all.
        for (auto now = asio::steady_timer::clock_type::now(); !mine->may_go && now < until;
             now = asio::steady_timer::clock_type::now()) {
            if (*std::ranges::find(wholes_, false, &whole::may_go) == mine) let_go();
            co_await mine->wait(mine->may_go, std::min(until, now + looks_every));
        }
    } catch (...) {
        cancelled = std::current_exception();
    }
    room_.leave(count, bytes);
    if (cancelled || !mine->may_go) {
        std::erase(wholes_, mine);
        let_go();
        if (cancelled) std::rethrow_exception(cancelled);
        mine->failure = submit_timed_out(false);
    } else {
        asio::co_spawn(executor_, send(mine), asio::detached);  // throws nothing
        co_await mine->wait(mine->ended, patience_ ? until + for_the_store : until);
        if (!mine->ended) mine->failure = submit_timed_out(true);
    }
    group_answer got;
    // A call that goes on reads them still.
    const bool read_still = mine->may_go && !mine->ended;
    got.items = read_still ? mine->items : std::move(mine->items);
    got.answers = std::move(mine->answers);
    got.answers.resize(count);
    if (mine->failure) got.failures.assign(count, mine->failure);
    co_return got;
}

awaitable<void> submissions::send(std::shared_ptr<whole> one) {
    try {
        auto answers = co_await to_.submit(one->lane, one->items, one->mode);
        one->answers = std::move(answers);
    } catch (...) {
        one->failure = std::current_exception();
    }
    one->ended = true;
    one->changed.cancel();
    std::erase(wholes_, one);
    let_go();
}

// The lines that those that come later have to leave to it: of one that a late shard holds up only that shard's.
std::set<std::size_t> submissions::taken_by(const whole& one) const {
    std::set<std::size_t> late;
    for (const auto line : one.lines) {
        if (to_.is_late(shard_of_line(line))) late.insert(line);
    }
    return late.empty() ? one.lines : late;
}

// A lane has one call in flight in each shard, whichever line it comes from.
std::size_t submissions::lane_for(const std::set<std::size_t>& lines) const {
    std::set<std::size_t> shards;
    for (const auto line : lines) shards.insert(shard_of_line(line));
    auto lane = store::lane_of_several_shards;
    const auto uses = [&](const std::shared_ptr<whole>& one) {
        return one->may_go && one->lane == lane && std::ranges::any_of(one->lines, [&](std::size_t line) {
                   return shards.contains(shard_of_line(line));
               });
    };
    while (std::ranges::any_of(wholes_, uses)) ++lane;
    return lane;
}

void submissions::let_go() {
    std::set<std::size_t> taken;
    for (const auto& one : wholes_) {
        // Nothing is left for those that come later.
        if (taken.size() == lines_.size()) return;
        const bool free =
            std::ranges::none_of(one->lines, [&](std::size_t line) { return taken.contains(line); });
        taken.merge(taken_by(*one));
        if (!free || one->may_go) continue;
        one->lane = lane_for(one->lines);
        one->may_go = true;
        one->changed.cancel();
    }
}

}  // namespace errand
