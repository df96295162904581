#include "transaction/pool.hpp"

#include <errand/error.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <string>
#include <utility>

namespace errand::sql {

namespace asio = boost::asio;

void pool::throw_closed() const { throw store_error{"connect: the database object was closed"}; }

awaitable<pool::connection> pool::take() {
    for (;;) {
        if (closed_) throw_closed();
        while (auto found = newest_idle()) {
            const bool rested = clock::now() - found->since > options_.check_after;
            if (!rested || co_await lives(*found->of.in)) co_return std::move(found->of);
            found.reset();
            one_less();
        }
        if (open_ < options_.connections) {
            ++open_;
            co_return co_await make();
        }
        if (auto given = co_await wait()) co_return std::move(*given);
    }
}

std::optional<pool::idle_one> pool::newest_idle() {
    if (idle_.empty()) return std::nullopt;
    auto found = std::move(idle_.back());
    idle_.pop_back();
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

awaitable<pool::connection> pool::make() {
    try {
        auto made = co_await of_.connect(on_);
        if (first_ && !greeted_) co_await first_(*made);
        greeted_ = true;
        co_return connection{std::move(made), clock::now()};
    } catch (...) {
        one_less();
        throw;
    }
}

// Nothing: it may be possible to make one now.
awaitable<std::optional<pool::connection>> pool::wait() {
    waiting self{asio::steady_timer{on_, options_.wait}};
    line_.push_back(&self);
    struct in_line {
        pool& of;
        waiting& self;
        ~in_line() { of.line_.remove(&self); }
    } place{*this, self};
    const auto [failed] = co_await self.timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (self.got) co_return std::move(self.got);
    if (closed_) throw_closed();
    if (self.may_make) co_return std::nullopt;
    if (failed) throw boost::system::system_error{asio::error::operation_aborted};
    throw store_error{
        "connect: all " + std::to_string(options_.connections) +
        " connections of the database stayed in use for " + std::to_string(options_.wait.count()) +
        " ms: raise database_options::connections, or look for a transaction that waits for another"};
}

void pool::give_back(connection one, bool clean) {
    const bool old = clock::now() - one.born > options_.max_age;
    if (!clean || old || closed_ || !one.in->usable()) {
        one.in.reset();
        return one_less();
    }
    if (line_.empty()) {
        idle_.push_back({std::move(one), clock::now()});
        return;
    }
    auto& next = *line_.front();
    line_.pop_front();
    next.got = std::move(one);
    next.timer.cancel();
}

void pool::one_less() {
    --open_;
    if (line_.empty()) return;
    auto& next = *line_.front();
    line_.pop_front();
    next.may_make = true;
    next.timer.cancel();
}

void pool::close() {
    closed_ = true;
    open_ -= idle_.size();
    idle_.clear();
    for (auto* one : line_) one->timer.cancel();
}

}  // namespace errand::sql
