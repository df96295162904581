// Brings what a database has committed to the store, right after the commit: commits that come while a call is under way, or so soon after the last one that many must be coming, leave together with the next one.
//
// It is an optimisation: whatever it drops the relay finds in the outbox.
#pragma once

#include "client/deliver.hpp"
#include "client/open_transaction.hpp"
#include "outbox/database_core.hpp"
#include "outbox/entry.hpp"
#include "outbox/striker.hpp"
#include "runtime/async_gate.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <span>
#include <string>

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

    // Delivers these, whoever has committed them, and counts what is refused; throws store_error when the store took none. What
    // became of each.
    awaitable<std::vector<brought>> bring(std::span<const outbox_entry> entries);

    // From any thread.
    void post(std::shared_ptr<database_core> on, std::vector<outbox_entry> commit);
    awaitable<void> of(std::shared_ptr<held_task> task) override;
    // The store gave its last answer, and has not been asked for another for longer than is usual. From any thread.
    bool is_prompt() const noexcept;
    // It was away when it was called last. From any thread.
    bool is_away() const noexcept { return away_; }
    // The store's clock, as far as this machine's tells it. From any thread.
    time_point store_now() const;
    // Until all is delivered and struck off, for so long at most.
    awaitable<void> flush(duration most);
    // Nothing is taken any more; whoever waits is told so.
    void stop();

    delivery_counts counts;

    // How long the store's word about a biz_id is waited for after a commit; it comes in a round trip.
    static constexpr std::chrono::milliseconds usual_answer{100};

private:
    static constexpr std::chrono::steady_clock::time_point never{};
    // What is to be done about a commit in the line: nothing while a call that will take it along is being prepared.
    enum class need { nothing, call, haste };
    need put_in_line(std::vector<outbox_entry> commit);
    bool fetch_line();
    awaitable<void> bring_tasks(std::span<const outbox_entry> entries, std::vector<brought>& into);
    // From the first on.
    awaitable<std::size_t> count_admitted(std::span<const outbox_entry> entries);
    awaitable<bool> declare(const outbox_entry& entry);
    awaitable<void> run(std::shared_ptr<database_core> on);
    awaitable<void> deliver_some(const std::shared_ptr<database_core>& on);
    void warn_of_first(const std::vector<brought>& all) const;
    void tell(outbox_entry& entry, const delivered_item& answer);
    awaitable<void> let_more_come();
    static awaitable<void> wait_for(std::shared_ptr<courier> self, std::shared_ptr<held_task> task);
    bool is_delivering() const;
    bool has(const held_task& task) const;
    awaitable<bool> stands(const held_task& task);

    database_core& of_;
    app_core& app_;
    loop& there_;
    mutable std::mutex guard_;  // of what follows, up to stopped_
    std::deque<outbox_entry> line_;
    bool awaited_ = false;  // something in the line is
    bool delivering_ = false;
    bool stopped_ = false;
    std::vector<outbox_entry> on_way_;
    striker striker_;
    bool hurry_ = false;
    boost::asio::steady_timer* next_call_ = nullptr;  // while it waits for more
    std::chrono::steady_clock::time_point last_call_{};
    std::size_t last_commits_ = 0;  // that the last call took along
    std::atomic<bool> away_{false};
    std::atomic<std::chrono::steady_clock::time_point> asked_at_{never};  // of the call under way
    std::atomic<std::int64_t> ahead_{0};                                  // ms
    std::optional<async_gate> changed_;                                   // nothing once it has stopped
};

}  // namespace errand::detail
