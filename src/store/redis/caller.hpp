// Makes calls until they are answered: an abort leaves it open whether the call was executed, so the same call is made
// again (its lane number makes that safe) until patience is used up.
#pragma once

#include "store/redis/connection.hpp"
#include "store/redis/refusal.hpp"
#include "store/redis/script_call.hpp"
#include "store/settings.hpp"

#include <optional>

namespace errand::redis {

class caller {
public:
    caller(const store_settings& settings, const address& to) : settings_{&settings}, to_{&to} {}

    void use(std::shared_ptr<connection> over) { over_ = std::move(over); }
    void close();
    bool closed() const noexcept { return closed_; }

    // `when_full`: whether a call that a full Redis refuses is repeated or thrown at once.
    enum class when_full { fail, wait };
    awaitable<void> call(const script_call& what, reply& answer, when_full full = when_full::wait);
    // A plain command, safe to repeat.
    awaitable<void> command(std::string_view operation, const boost::redis::request& what, reply& answer);

    // From the connection: what it said last of why it is not there.
    void down(std::string_view cause);
    void up();

    [[noreturn]] void fail(std::string_view operation, std::string_view cause) const;

private:
    struct progress;
    progress begin(std::string_view operation) const;
    awaitable<void> attempt_once(progress& at, const boost::redis::request& what, reply& answer);
    void judge_abort(progress& at) const;
    void judge_refusal(progress& at, std::string_view error) const;
    void judge_confirmed(progress& at, std::int64_t replicas) const;
    [[noreturn]] void give_up(const progress& at) const;
    awaitable<void> pause() const;

    const store_settings* settings_;
    const address* to_;
    std::shared_ptr<connection> over_;
    std::string cause_;
    bool setup_failed_ = false;
    bool told_ = false;
    bool closed_ = false;
    unsigned connections_ = 0;  // how often it was up
};

}  // namespace errand::redis
