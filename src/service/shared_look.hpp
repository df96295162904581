// What takes several questions to see, and what many ask for: one of them looks, the others wait for what it sees, or fail with it;
// and what was seen holds for a while. On one loop.
#pragma once

#include <errand/awaitable.hpp>

#include "runtime/async_gate.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

namespace errand::web {

template <class Seen>
class shared_look {
public:
    shared_look(const boost::asio::any_io_executor& loop, std::chrono::steady_clock::duration holds_for)
        : looked_{loop}, holds_for_{holds_for} {}

    // `look` returns an awaitable<Seen>; what it throws is thrown to all who waited for it.
    template <class Look>
    awaitable<std::shared_ptr<const Seen>> see(Look look) {
        while (!is_fresh()) {
            if (!looks_) {
                co_await renew(look());
                break;
            }
            co_await looked_.wait();
            // To look once more would take as long.
            if (!looks_ && failure_) std::rethrow_exception(failure_);
        }
        co_return seen_;
    }

    // Null: nobody has looked lately.
    std::shared_ptr<const Seen> fresh() const { return is_fresh() ? seen_ : nullptr; }

    // What somebody has seen by himself, unless something was forgotten while he looked: `since` is forgotten() of before.
    void keep(std::shared_ptr<const Seen> seen, std::size_t since) {
        seen_ = std::move(seen);
        at_ = std::chrono::steady_clock::now();
        holds_ = since == forgotten_;
    }
    std::size_t forgotten() const noexcept { return forgotten_; }

    void hold_for(std::chrono::steady_clock::duration length) noexcept { holds_for_ = length; }
    // What was seen holds no longer, nor does what is being looked at.
    void forget() noexcept {
        holds_ = false;
        ++forgotten_;
    }

private:
    bool is_fresh() const { return holds_ && std::chrono::steady_clock::now() - at_ < holds_for_; }

    awaitable<void> renew(awaitable<Seen> look) {
        struct turn {
            shared_look& of;
            ~turn() {
                of.looks_ = false;
                of.looked_.open();
            }
        };
        looks_ = true;
        failure_ = nullptr;
        const turn mine{*this};
        const auto forgotten = forgotten_;
        try {
            seen_ = std::make_shared<const Seen>(co_await std::move(look));
            at_ = std::chrono::steady_clock::now();
            holds_ = forgotten == forgotten_;
        } catch (...) {
            failure_ = std::current_exception();
            throw;
        }
    }

    std::shared_ptr<const Seen> seen_{};
    std::chrono::steady_clock::time_point at_{};
    bool holds_ = false;
    bool looks_ = false;
    std::size_t forgotten_ = 0;  // so often
    async_gate looked_;
    std::chrono::steady_clock::duration holds_for_;
    std::exception_ptr failure_{};  // of the last look
};

}  // namespace errand::web
