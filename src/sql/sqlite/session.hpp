// A connection to a user's file as the transactions see it.
//
// Invariant: a session that is in a write transaction has the turn, so that its next statement never waits for another
// session of the same thread.
#pragma once

#include "sql/driver.hpp"
#include "sql/sqlite/handle.hpp"
#include "sql/sqlite/write_turn.hpp"

#include <chrono>
#include <memory>

namespace errand::sqlite {

class session final : public sql::session {
public:
    session(std::unique_ptr<handle> of, std::unique_ptr<sql::attachment> attached,
            std::shared_ptr<write_turn> turn, std::chrono::milliseconds busy_wait)
        : of_{std::move(of)}, attached_{std::move(attached)}, turn_{std::move(turn)}, busy_wait_{busy_wait} {}
    ~session() override;

    awaitable<sql::result> run(std::string statement, std::vector<sql::value> values) override;
    sql::attachment* attachment() noexcept override { return attached_.get(); }
    bool usable() const noexcept override { return usable_; }

private:
    using moment = std::chrono::steady_clock::time_point;

    awaitable<void> take_turn(moment until);
    void leave_turn();
    sql::result step(const std::string& statement, const std::vector<sql::value>& values);

    std::unique_ptr<handle> of_;
    std::unique_ptr<sql::attachment> attached_;  // goes before the connection
    std::shared_ptr<write_turn> turn_;           // null: of a connection that was adopted
    const std::chrono::milliseconds busy_wait_;
    bool has_turn_ = false;
    bool usable_ = true;
};

}  // namespace errand::sqlite
