// Strikes off the outbox what the store has taken: rows go in one statement for all that was delivered in a while, as each
// is a commit of the database's, which those of the program's own wait for.
#pragma once

#include "outbox/database_core.hpp"
#include "outbox/entry.hpp"
#include "runtime/loop.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace errand::detail {

// Tells the store that these are struck off. A shard that is away is not waited for: it hears of it when it is back, and the
// answer is false. On the loop; `on` lives until then.
awaitable<bool> forget(loop& there, std::shared_ptr<database_core> on, std::vector<delivered_task> tasks);

// On the app's background loop.
class striker {
public:
    // `rested`: called whenever nothing is left to be struck off, or it was given up.
    striker(database_core& on, loop& there, std::function<void()> rested);

    // `on` lives until they are struck off.
    void add(std::shared_ptr<database_core> on, const std::vector<outbox_entry>& delivered);
    // Nothing is waited for any more.
    void hurry();
    bool is_busy() const noexcept { return busy_; }

    // A call that was made before these were struck off may still arrive: until it cannot, the store is to know them. What is
    // not forgotten by then, because nobody asks, the store keeps for longer than it needs to.
    void forget_later(std::vector<delivered_task> tasks);
    awaitable<void> forget_what_is_due();
    // From any thread.
    bool has_to_forget() const noexcept { return to_forget_ > 0; }

private:
    awaitable<void> run(std::shared_ptr<database_core> on);
    awaitable<void> gather();
    awaitable<void> strike_some();

    database_core& of_;
    loop& there_;
    const std::function<void()> rested_;
    std::vector<outbox_entry> delivered_;  // what names a row, and no body
    struct known_for {
        std::chrono::steady_clock::time_point until;
        std::vector<delivered_task> tasks;
    };
    std::deque<known_for> later_;
    std::atomic<std::size_t> to_forget_{0};  // tasks in it
    bool busy_ = false;
    bool hurry_ = false;
    boost::asio::steady_timer* gathers_ = nullptr;  // while it does
};

}  // namespace errand::detail
