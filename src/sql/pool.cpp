#include "sql/pool.hpp"

#include <errand/error.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string>

namespace errand::sql {

namespace asio = boost::asio;

namespace {

// Tells pools that their loop ends: what is idle on it must not outlive it. A service of the loop, so that it is shut down
// before those that sockets belong to are gone.
class loop_end final : public asio::execution_context::service {
public:
    static inline asio::execution_context::id id;

    explicit loop_end(asio::execution_context& of) : service{of}, of_{static_cast<asio::io_context&>(of)} {}

    void add(const std::weak_ptr<pool>& one) {
        const auto is_same = [&](const auto& other) {
            return !other.owner_before(one) && !one.owner_before(other);
        };
        const std::lock_guard lock{guard_};
        if (std::ranges::any_of(all_, is_same)) return;
        std::erase_if(all_, [](const auto& other) { return other.expired(); });
        all_.push_back(one);
    }

private:
    void shutdown() override {
        for (const auto& one : all_) {
            if (const auto there = one.lock()) there->leave(of_);
        }
    }

    asio::io_context& of_;
    std::mutex guard_;  // of what follows
    std::vector<std::weak_ptr<pool>> all_;
};

}  // namespace

// Whoever leaves the line with something in his hands, because nobody waits for him any more or because his loop ends, drops
// it: a connection is closed, and the next one may make his own.
class pool::in_line {
public:
    in_line(pool& of, std::shared_ptr<waiting> place) : of_{of}, place_{std::move(place)} {}
    in_line(const in_line&) = delete;
    in_line& operator=(const in_line&) = delete;
    ~in_line() {
        std::optional<connection> left;
        const std::lock_guard lock{of_.guard_};
        of_.line_.remove(place_);
        left.swap(place_->got);
        if (left) left->in.reset();
    }

private:
    pool& of_;
    std::shared_ptr<waiting> place_;
};

void pool::throw_closed() { throw store_error{"connect: the database object was closed"}; }

awaitable<pool::connection> pool::take(asio::io_context& on) {
    asio::use_service<loop_end>(on).add(weak_from_this());
    connection one;
    if (auto place = fetch(on, one)) one = co_await wait(std::move(place));
    const bool rested = one.in && clock::now() - one.since > options_.check_after;
    if (rested && !co_await lives(*one.in)) one.in.reset();
    one.on = &on;
    if (!one.in) co_await make(one);
    co_return one;
}

// What there is at once; else a place in the line.
std::shared_ptr<pool::waiting> pool::fetch(asio::io_context& on, connection& into) {
    const std::lock_guard lock{guard_};
    if (closed_) throw_closed();
    if (const auto found = best_idle(on); found != idle_.end()) {
        into = std::move(*found);
        idle_.erase(found);
        if (into.on != &on) into.in->move_to(on);
    } else if (open_ < options_.connections) {
        ++open_;
        into.place = unit{*this};
    } else if (!idle_.empty()) {
        into = std::move(idle_.front());
        idle_.erase(idle_.begin());
        into.in.reset();
    } else {
        return line_.emplace_back(std::make_shared<waiting>(on, asio::steady_timer{on, options_.wait}));
    }
    return nullptr;
}

std::vector<pool::connection>::iterator pool::best_idle(asio::io_context& on) {
    for (auto at = idle_.end(); at != idle_.begin();) {
        if ((--at)->on == &on) return at;
    }
    return of_.sessions_move() && !idle_.empty() ? std::prev(idle_.end()) : idle_.end();
}

awaitable<bool> pool::lives(session& of) {
    try {
        co_await of.run("SELECT 1", {});
        co_return of.usable();
    } catch (const error&) {
        co_return false;
    }
}

awaitable<void> pool::make(connection& one) {
    one.in = co_await of_.connect(*one.on);
    one.born = clock::now();
    if (first_ && !greeted_) co_await first_(*one.in);
    greeted_ = true;
}

awaitable<pool::connection> pool::wait(std::shared_ptr<waiting> place) {
    const in_line leaves{*this, place};
    const auto [failed] = co_await place->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    const std::lock_guard lock{guard_};
    if (place->got) co_return *std::exchange(place->got, std::nullopt);
    if (closed_) throw_closed();
    if (failed) throw boost::system::system_error{asio::error::operation_aborted};
    throw store_error{
        "connect: all " + std::to_string(options_.connections) +
        " connections of the database stayed in use for " + std::to_string(options_.wait.count()) +
        " ms: raise database_options::connections, or look for a transaction that waits for another"};
}

void pool::give_back(connection one, bool clean) {
    const bool old = clock::now() - one.born > options_.max_age;
    const bool good = clean && !old && one.in->usable();
    const std::lock_guard lock{guard_};
    if (good && !closed_ && hand_over(one)) return;
    one.in.reset();
}

// Under the lock. To the next in the line, or to those that are idle; false: it is of no use to anybody.
bool pool::hand_over(connection& one) {
    if (line_.empty()) {
        one.since = clock::now();
        idle_.push_back(std::move(one));
        return true;
    }
    const auto place = next_for(one);
    if (place == line_.end()) return false;
    const auto next = *place;
    try {
        if (one.on != &next->on) one.in->move_to(next->on);
    } catch (const std::exception&) {
        return false;
    }
    line_.erase(place);
    one.since = clock::now();
    next->got = std::move(one);
    tell(next);
    return true;
}

pool::line::iterator pool::next_for(const connection& one) {
    const auto first = line_.begin();
    if (&(*first)->on == one.on || of_.sessions_move()) return first;
    if (clock::now() - (*first)->since >= passed_over_) return line_.end();
    return std::ranges::find_if(line_, [&](const auto& other) { return &other->on == one.on; });
}

// The next in the line may make one in its place.
void pool::one_less() {
    const std::lock_guard lock{guard_};
    if (line_.empty() || closed_) {
        --open_;
        return;
    }
    const auto next = line_.front();
    line_.pop_front();
    connection none;
    none.place = unit{*this};
    next->got = std::move(none);
    tell(next);
}

// His timer is his loop's.
void pool::tell(const std::shared_ptr<waiting>& one) {
    asio::dispatch(one->on, [one] { one->timer.cancel(); });
}

bool pool::admits(asio::io_context& on) {
    if (of_.sessions_move()) return true;
    const std::lock_guard lock{guard_};
    if (std::ranges::find(admitted_, &on) != admitted_.end()) return true;
    if (2 * (admitted_.size() + 2) > options_.connections) return false;
    asio::use_service<loop_end>(on).add(weak_from_this());
    admitted_.push_back(&on);
    return true;
}

void pool::leave(asio::io_context& on) {
    std::vector<connection> left;
    const std::lock_guard lock{guard_};
    std::erase(admitted_, &on);
    line_.remove_if([&](const auto& one) { return &one->on == &on; });
    const auto first = std::stable_partition(idle_.begin(), idle_.end(),
                                             [&](const connection& one) { return one.on != &on; });
    for (auto at = first; at != idle_.end(); ++at) at->in.reset();
    left.insert(left.end(), std::move_iterator{first}, std::move_iterator{idle_.end()});
    idle_.erase(first, idle_.end());
}

void pool::close() {
    std::vector<connection> left;
    const std::lock_guard lock{guard_};
    closed_ = true;
    for (auto& one : idle_) one.in.reset();
    left.swap(idle_);
    for (const auto& one : line_) tell(one);
}

}  // namespace errand::sql
