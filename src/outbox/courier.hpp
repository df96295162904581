// Brings what a database has committed to the store, right after the commit: commits that come while a call is under way, or so
// soon after the last one that many must be coming, leave together with the next one.
//
// It is an optimisation: whatever it drops the relay finds in the outbox.
#pragma once

#include "client/deliver.hpp"
#include "client/open_transaction.hpp"
#include "outbox/database_core.hpp"
#include "outbox/delivery_lanes.hpp"
#include "outbox/entry.hpp"
#include "outbox/route.hpp"
#include "outbox/striker.hpp"
#include "runtime/async_gate.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace errand::detail {

// What was delivered so far, as people see it. From any thread.
class delivery_counts {
public:
    void count_own(std::size_t n) { own_ += static_cast<std::int64_t>(n); }
    void count_left(std::size_t n) { left_ += static_cast<std::int64_t>(n); }
    // Says it in an event too.
    void refused(app_core& app, const submission_item& item, const std::exception_ptr& why);
    void fill(outbox_info& into) const;

private:
    std::atomic<std::int64_t> own_{0}, left_{0};
    mutable std::mutex guard_;  // of what follows
    std::int64_t refused_ = 0;
    std::string last_refusal_;
};

struct brought {
    delivered_item got{};
    bool stays =
        false;  // in the outbox: the store has not taken it, or it is for a worker that can declare it
    bool over_quota = false;  // that is why
};

// On the app's background loop, but for what says otherwise.
class courier final : public arrival, public std::enable_shared_from_this<courier> {
public:
    explicit courier(database_core& on);

    // Delivers these, whoever has committed them, and counts what is refused. What became of each; throws store_error when the
    // store answered about none.
    awaitable<std::vector<brought>> bring(std::span<const outbox_entry> entries);

    // From any thread.
    void post(std::shared_ptr<database_core> on, std::vector<outbox_entry> commit);
    awaitable<void> of(std::shared_ptr<held_task> task) override;
    // The shards that this concerns gave their last answer, and have not been asked for another for longer than is usual.
    // From any thread.
    bool is_prompt(const held_task& task) const;
    // The shard that keeps the quota was away when it was called last. From any thread.
    bool quota_is_away() const;
    void note_quota(bool away);
    // The store's clock, as far as this machine's tells it. From any thread.
    time_point store_now() const;
    // What the relay has delivered, and struck off, is to be forgotten once no call that was made before can arrive; the next
    // passes see to it. On the loop.
    void forget_later(std::vector<delivered_task> tasks);
    bool has_to_forget() const noexcept { return striker_.has_to_forget(); }
    awaitable<void> forget_what_is_due();
    // Strikes off what was delivered; `on` lives until that is done.
    void strike(std::shared_ptr<database_core> on, const std::vector<outbox_entry>& delivered);
    // Until all is delivered and struck off, for so long at most.
    awaitable<void> flush(duration most);
    // Nothing is taken any more; whoever waits is told so.
    void stop();

    delivery_counts counts;

    // How long the store's word about a biz_id is waited for after a commit; it comes in a round trip.
    static constexpr std::chrono::milliseconds usual_answer{100};

private:
    static constexpr std::chrono::steady_clock::time_point never{};
    using lane = delivery_lanes::lane;
    // One after the other. On the loop, but for what says otherwise.
    struct lane_calls {
        boost::asio::steady_timer* next = nullptr;  // while it waits for more
        std::chrono::steady_clock::time_point last{};
        std::size_t last_commits = 0;  // that the last one took along
        // Of the one under way. From any thread.
        std::atomic<std::chrono::steady_clock::time_point> asked_at{never};
    };
    lane_calls& calls_of(const lane& of);
    awaitable<void> leave_out_what_is_gone(lane& of);
    awaitable<std::unordered_set<task_id>> deliver_own(std::shared_ptr<database_core> on, lane& of);
    awaitable<void> bring_tasks(std::span<const outbox_entry> entries, std::size_t admitted,
                                std::vector<brought>& into);
    // From the first on.
    awaitable<std::size_t> count_admitted(std::span<const outbox_entry> entries);
    awaitable<void> declare_those_of(std::span<const outbox_entry> entries, std::vector<brought>& into);
    awaitable<bool> declare(const outbox_entry& entry);
    awaitable<void> run(std::shared_ptr<database_core> on, lane& of);
    awaitable<std::unordered_set<task_id>> deliver_some(const std::shared_ptr<database_core>& on, lane& of);
    void warn_of_first(const std::vector<brought>& all) const;
    void tell(outbox_entry& entry, const delivered_item& answer);
    awaitable<void> let_more_come(lane& of);
    static awaitable<void> wait_for(std::shared_ptr<courier> self, std::shared_ptr<held_task> task);
    bool is_delivering() const;
    awaitable<bool> stands(const held_task& task);
    void note_away(std::span<const outbox_entry> entries, bool away);
    bool is_away(const shard_set& shards) const;

    database_core& of_;
    app_core& app_;
    loop& there_;
    const std::unique_ptr<std::atomic<bool>[]> away_;  // each shard: as its last call said
    delivery_lanes lanes_;
    mutable std::mutex guard_;  // of what follows
    std::map<shard_set, lane_calls> calls_;
    striker striker_;
    bool hurry_ = false;
    std::atomic<std::int64_t> ahead_{0};  // ms
    std::optional<async_gate> changed_;   // nothing once it has stopped
};

}  // namespace errand::detail
