// What is held back until a transaction of the user's own client commits.
#pragma once

#include <errand/joined_transaction.hpp>

#include "client/open_transaction.hpp"
#include "outbox/commit.hpp"

#include <memory>
#include <optional>

namespace errand::detail {

class joined_state {
public:
    joined_state(std::shared_ptr<database_core> on, std::unique_ptr<sql::session> with);
    ~joined_state();

    const std::shared_ptr<open_transaction>& held() const noexcept { return held_; }
    awaitable<void> write();
    void deliver();
    void roll_back() noexcept;

private:
    awaitable<void> write_inside(store& in, const held_list& list);

    std::shared_ptr<database_core> on_;
    std::unique_ptr<sql::session> with_;
    std::shared_ptr<open_transaction> held_;
    // What write() has seen to: submitted to a store in this database, or written to its outbox.
    held_list list_;
    std::optional<std::vector<outbox_entry>> entries_;
    bool written_ = false;
};

// `with`: the user's connection, used by whoever calls write().
joined_transaction join(std::shared_ptr<database_core> on, std::unique_ptr<sql::session> with);

}  // namespace errand::detail
