// A user's database as the app and its worker see it: tasks that it has committed wait there for the store. From any thread.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/inspect.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace errand {

// What this process has brought to the store.
struct outbox_counts {
    std::string database;  // its URL without a password
    std::uint64_t delivered = 0;
    std::uint64_t refused = 0;
};

class outbox_port {
public:
    virtual ~outbox_port() = default;

    // Its URL without a password.
    virtual const std::string& shown_url() const noexcept = 0;
    // Delivers what was left behind, as far as the store takes it; how many. Throws database_error, and store_error when it took
    // none.
    virtual awaitable<std::size_t> deliver_left_behind() = 0;
    // Deletes records of effects whose tasks are not kept any more; how many.
    virtual awaitable<std::size_t> clean_effects() = 0;
    virtual awaitable<outbox_info> look() = 0;
    virtual outbox_counts counts() const = 0;
    // Delivers what was committed last, then ends the connections. Blocks; from a thread that runs no loop. May be repeated.
    virtual void close() = 0;
};

}  // namespace errand
