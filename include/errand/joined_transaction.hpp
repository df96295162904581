#pragma once

#include <errand/awaitable.hpp>

#include <memory>

namespace errand {

namespace detail {
class joined_state;
}  // namespace detail

/// A transaction that your own client opened on its own connection, joined by errand: tasks are submitted if and only if
/// it commits. Made by `errand::sqlite::adopt`, `errand::postgres::adopt` and `errand::mysql::adopt`.
///
/// ```
/// exec(connection, "BEGIN");                             // your client
/// auto joined = errand::sqlite::adopt(db, connection);
/// exec(connection, "INSERT INTO orders …");
/// co_await receipts.in(joined).perform_async(o);         // held back; or under errand::transaction(joined, body)
/// co_await joined.write();                               // into errand_outbox, through your connection
/// exec(connection, "COMMIT");
/// co_await joined.deliver();                             // at once; else a worker's relay does it seconds later
/// ```
///
/// Movable, not copyable; not to be shared by threads without a lock. Must outlive the calls made through it.
class joined_transaction {
public:
    /// Made by adopt().
    explicit joined_transaction(std::shared_ptr<detail::joined_state> state) noexcept;
    joined_transaction(joined_transaction&&) noexcept = default;
    joined_transaction& operator=(joined_transaction&&) = delete;
    /// Drops what was not written. What was written belongs to your transaction.
    ~joined_transaction();

    /// Writes what was held back into the open transaction, to errand_outbox or as tasks; performing through it afterwards
    /// is a usage_error. Nothing happens when nothing was performed. One round trip, on your connection.
    /// @throws duplicate_task, dependency_cycle, result_gone, store_error: nothing was written, the tasks are dropped;
    ///         database_error, serialization_failure: your connection says so, and your transaction is to be rolled back;
    ///         usage_error when it was written already
    [[nodiscard]] awaitable<void> write();

    /// Call it once your COMMIT has succeeded, and never before: submits what was written, without waiting for the
    /// store's answer. From then on the handles can be awaited. Throws nothing but usage_error, when write() was not called.
    [[nodiscard]] awaitable<void> deliver();

    /// Your transaction was rolled back: drops what was held back or written.
    void rollback() noexcept;

    /// For errand itself.
    [[nodiscard]] const std::shared_ptr<detail::joined_state>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::joined_state> state_;
};

}  // namespace errand
