#include "transaction/pool.hpp"

#include <errand/error.hpp>

#include "transaction/loop_end.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace errand::sql {

namespace asio = boost::asio;

namespace {
// Where connections cannot be moved, those who wait on the loop of one that comes back may go first for so long: for others
// it would have to be made anew each time.
constexpr std::chrono::milliseconds longest_passed_over{50};
}  // namespace

// What was given to one who leaves the line without it, because nobody waits for him any more, goes to the next.
class pool::in_line {
public:
    in_line(pool& of, std::shared_ptr<waiting> place) : of_{of}, place_{std::move(place)} {}
    in_line(const in_line&) = delete;
    in_line& operator=(const in_line&) = delete;
    ~in_line() {
        std::optional<connection> left;
        {
            const std::lock_guard lock{of_.guard_};
            of_.line_.remove(place_);
            left.swap(place_->got);
            if (place_->may_make) of_.let_one_make();
        }
        if (left) of_.give_back(std::move(*left), true);
    }

private:
    pool& of_;
    std::shared_ptr<waiting> place_;
};

void pool::throw_closed() const { throw store_error{"connect: the database object was closed"}; }

awaitable<pool::connection> pool::take(asio::io_context& on) {
    for (;;) {
        auto mine = next_share(on);
        if (mine.found) {
            auto& one = mine.found->of;
            bool good = true;
            if (one.on != &on) {
                one.in->move_to(on);
                one.on = &on;
            }
            if (clock::now() - mine.found->since > options_.check_after) good = co_await lives(*one.in);
            if (good) co_return std::move(one);
            mine.found.reset();
            one_less();
        } else if (mine.may_make) {
            mine.in_its_place.reset();
            co_return co_await make(on);
        } else if (auto given = co_await wait(std::move(mine.place))) {
            if (given->on != &on) given->in->move_to(on);
            given->on = &on;
            co_return std::move(*given);
        }
    }
}

pool::share pool::next_share(asio::io_context& on) {
    const std::lock_guard lock{guard_};
    if (closed_) throw_closed();
    share mine;
    mine.found = newest_idle(on);
    if (mine.found) return mine;
    mine.may_make = open_ < options_.connections || !idle_.empty();
    if (open_ < options_.connections) {
        ++open_;
    } else if (!idle_.empty()) {
        mine.in_its_place = std::move(idle_.front().of);
        idle_.erase(idle_.begin());
    } else {
        mine.place = std::make_shared<waiting>(on, asio::steady_timer{on, options_.wait});
        line_.push_back(mine.place);
    }
    return mine;
}

std::optional<pool::idle_one> pool::newest_idle(asio::io_context& on) {
    const auto here = [&](const idle_one& one) { return one.of.on == &on; };
    auto place = std::find_if(idle_.rbegin(), idle_.rend(), here);
    if (place == idle_.rend() && of_.sessions_move()) place = idle_.rbegin();
    if (place == idle_.rend()) return std::nullopt;
    auto found = std::move(*place);
    idle_.erase(std::next(place).base());
    return found;
}

awaitable<bool> pool::lives(session& of) {
    try {
        co_await of.run("SELECT 1", {});
        co_return of.usable();
    } catch (const error&) {
        co_return false;
    }
}

awaitable<pool::connection> pool::make(asio::io_context& on) {
    try {
        loop_end::tell(on, weak_from_this());
        auto made = co_await of_.connect(on);
        if (first_ && !greeted_) co_await first_(*made);
        greeted_ = true;
        co_return connection{std::move(made), &on, clock::now()};
    } catch (...) {
        one_less();
        throw;
    }
}

// Nothing: it may be possible to make one now.
awaitable<std::optional<pool::connection>> pool::wait(std::shared_ptr<waiting> place) {
    const in_line leaves{*this, place};
    const auto [failed] = co_await place->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    const std::lock_guard lock{guard_};
    if (place->got) co_return std::exchange(place->got, std::nullopt);
    if (closed_) throw_closed();
    if (std::exchange(place->may_make, false)) co_return std::nullopt;
    if (failed) throw boost::system::system_error{asio::error::operation_aborted};
    throw store_error{
        "connect: all " + std::to_string(options_.connections) +
        " connections of the database stayed in use for " + std::to_string(options_.wait.count()) +
        " ms: raise database_options::connections, or look for a transaction that waits for another"};
}

void pool::give_back(connection one, bool clean) {
    const bool old = clock::now() - one.born > options_.max_age;
    const bool good = clean && !old && one.in->usable();
    std::unique_lock lock{guard_};
    if (good && !closed_) {
        if (line_.empty()) {
            idle_.push_back({std::move(one), clock::now()});
            return;
        }
        if (const auto next = next_for(one)) {
            next->got = std::move(one);
            return tell(next);
        }
    }
    lock.unlock();
    one.in.reset();
    one_less();
}

// Null: it is of no use to those who are to go first.
std::shared_ptr<pool::waiting> pool::next_for(const connection& one) {
    auto next = line_.begin();
    const bool fits = (*next)->on.get_executor() == one.on->get_executor() || of_.sessions_move();
    if (!fits && clock::now() - (*next)->since < longest_passed_over)
        next = std::ranges::find_if(line_, [&](const auto& other) { return &other->on == one.on; });
    else if (!fits)
        return nullptr;
    if (next == line_.end()) return nullptr;
    auto found = *next;
    line_.erase(next);
    return found;
}

void pool::one_less() {
    const std::lock_guard lock{guard_};
    --open_;
    let_one_make();
}

void pool::let_one_make() {
    if (line_.empty()) return;
    auto next = line_.front();
    line_.pop_front();
    next->may_make = true;
    tell(next);
}

// His timer is his loop's.
void pool::tell(const std::shared_ptr<waiting>& one) {
    asio::dispatch(one->on, [one] { one->timer.cancel(); });
}

void pool::leave(asio::io_context& on) {
    std::vector<idle_one> left;
    {
        const std::lock_guard lock{guard_};
        const auto first = std::stable_partition(idle_.begin(), idle_.end(),
                                                 [&](const idle_one& one) { return one.of.on != &on; });
        std::move(first, idle_.end(), std::back_inserter(left));
        idle_.erase(first, idle_.end());
    }
    for (auto& one : left) {
        one.of.in.reset();
        one_less();
    }
}

void pool::close() {
    std::vector<idle_one> left;
    const std::lock_guard lock{guard_};
    closed_ = true;
    open_ -= idle_.size();
    left.swap(idle_);
    for (const auto& one : line_) tell(one);
}

}  // namespace errand::sql
