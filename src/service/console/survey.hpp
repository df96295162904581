// The namespace at one look, for all pages that show some of it; and how rarely the store is looked at, by what a look costs it. On
// one loop.
#pragma once

#include <errand/app.hpp>

#include "client/whole_look.hpp"
#include "service/shared_look.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

namespace errand::console {

// What looks cost the store, by how much they look at: about what a Redis takes for it. Time on a clock would count the way there.
class look_cost {
public:
    void queues(std::size_t count) noexcept { of_store_ += count * std::chrono::microseconds{25}; }
    void workers(std::size_t count) noexcept { of_store_ += count * std::chrono::microseconds{3}; }
    void running(std::size_t count) noexcept { of_store_ += count * std::chrono::microseconds{4}; }
    // The names and counters of queues alone.
    void counters(std::size_t queues) noexcept { of_store_ += queues * std::chrono::microseconds{6}; }
    // Single tasks, schedules, limits.
    void looks(std::size_t count) noexcept { of_store_ += count * std::chrono::microseconds{50}; }
    void handlers(std::size_t count) noexcept { of_store_ += count * std::chrono::microseconds{500}; }

    // How long the store has rest after it: so that a view that is looked at again and again is a small part of its work, and a person
    // waits for what he sees; nothing where that is less than a moment.
    std::chrono::steady_clock::duration rest() const noexcept;

private:
    std::chrono::microseconds of_store_{0};
};

class survey {
public:
    // `of` outlives it.
    survey(app& of, const boost::asio::any_io_executor& loop)
        : app_{of}, looks_{loop, std::chrono::steady_clock::duration::zero()} {}

    // What was seen last as long as the store rests from that look, else what is seen now; `cost`: of such a look. Throws
    // store_error.
    awaitable<std::shared_ptr<const whole_look>> see(look_cost& cost);
    // What was seen last, as long as the store rests from that look; null: it does not.
    std::shared_ptr<const whole_look> kept() const { return rests_ ? looks_.fresh() : nullptr; }
    // Somebody has changed something: who asks from now on is told of it.
    void forget() noexcept { looks_.forget(); }
    // At the last look.
    std::size_t queues() const noexcept { return queues_; }

private:
    app& app_;
    web::shared_look<whole_look> looks_;
    bool rests_ = false;  // a look costs so much that it is shared
    std::size_t queues_ = 0;
};

}  // namespace errand::console
