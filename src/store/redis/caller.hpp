// Makes calls until they are answered: a lost connection leaves it open whether the call was executed, so the same call
// is made again on the next one (its lane number makes that safe) until patience is used up. On a connection that lives
// it is waited for and never sent twice. On its store's executor only.
#pragma once

#include "store/redis/connection.hpp"
#include "store/redis/refusal.hpp"
#include "store/redis/script_call.hpp"
#include "store/settings.hpp"

#include <optional>
#include <set>

namespace errand::redis {

class caller {
public:
    // `of`: the shard's.
    caller(const store_settings& settings, const address& to, const keys& of)
        : settings_{&settings}, to_{&to}, confirm_{of.in_cluster() ? of.control() : of.channel("")} {}

    void use(std::shared_ptr<connection> over) { over_ = std::move(over); }
    void close();
    bool closed() const noexcept { return closed_; }

    // `when_full`: whether a call that a full Redis refuses is repeated or thrown at once.
    enum class when_full { fail, wait };
    // `when_strange`: the same where the namespace behind the address is kept otherwise than it was when this was opened.
    enum class when_strange { fail, wait };
    awaitable<void> call(const script_call& script, reply& answer, when_full full = when_full::wait,
                         when_strange strange = when_strange::wait);
    // A plain command, safe to repeat.
    awaitable<void> command(std::string_view operation, const boost::redis::request& request, reply& answer);

    // The server had so many when it was looked at.
    void know_replicas(int there) noexcept { replicas_ = there; }
    // From the connection: what it said last of why it is not there.
    void down(std::string_view cause);
    void up();

    [[noreturn]] void fail(std::string_view operation, std::string_view cause) const;

private:
    struct progress;
    progress begin(std::string_view operation) const;
    awaitable<void> attempt_once(progress& at, const boost::redis::request& request, reply& answer);
    void judge_abort(progress& at) const;
    bool in_cluster() const noexcept { return to_->kind == server_kind::cluster; }
    void judge_refusal(progress& at, std::string_view error);
    void write_confirmed(boost::redis::request& to, int replicas) const;
    void judge_confirmed(progress& at, std::int64_t replicas);
    [[noreturn]] void give_up(const progress& at) const;
    void note_answer();
    void observe_away(bool away);
    awaitable<void> pause(duration length) const;

    const store_settings* settings_;
    const address* to_;
    std::shared_ptr<connection> over_;
    std::string cause_;
    std::string confirm_;      // what is written for WAIT: a key, or a channel that nobody listens to
    std::string wrong_stamp_;  // the store behind the last connection is another's: why
    std::set<const script*> large_made_;  // scripts that Redis has run for a large call
    bool told_ = false;
    bool refused_ = false;  // the last call's server may not change anything
    bool closed_ = false;
    bool away_ = false;         // as its observer was told
    unsigned connections_ = 0;  // how often it was up
    int replicas_ = 0;
    std::chrono::steady_clock::time_point hopeless_until_{};  // no replica had answered in time
};

}  // namespace errand::redis
