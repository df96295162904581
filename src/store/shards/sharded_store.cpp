// What concerns the shards as a whole. Calls about one task are handed to its shard in the header.
#include "store/shards/sharded_store.hpp"

#include <boost/asio/detached.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace errand {

// Hears one shard.
class sharded_store::shard_listener final : public store_listener {
public:
    shard_listener(sharded_store& whole, std::size_t shard) : whole_{whole}, shard_{shard} {}

    void woken() override {
        whole_.turns_.woken(shard_);
        if (whole_.listener_) whole_.listener_->woken();
    }
    void task_given(claimed_task task) override {
        whole_.turns_.woken(shard_);
        if (whole_.listener_) whole_.listener_->task_given(whole_.outer(std::move(task), shard_));
    }
    void stands_aside() override {
        if (whole_.listener_) whole_.listener_->stands_aside();
    }
    void schedules_changed() override {
        if (whole_.listener_) whole_.listener_->schedules_changed();
    }
    void settings_changed() override {
        if (whole_.listener_) whole_.listener_->settings_changed();
    }
    void news_came() override {
        if (whole_.listener_) whole_.listener_->news_came();
    }
    void task_cancelled(const task_id& id) override {
        if (whole_.listener_) whole_.listener_->task_cancelled(id);
    }
    void may_go_on(const task_id& id) override {
        if (whole_.listener_) whole_.listener_->may_go_on(id);
    }
    void task_ended(const ended_task& task) override {
        if (whole_.listener_) whole_.listener_->task_ended(task);
    }
    void reconnected() override {
        if (whole_.listener_) whole_.listener_->reconnected();
    }

private:
    sharded_store& whole_;
    std::size_t shard_;
};

sharded_store::sharded_store(std::vector<std::unique_ptr<store>> all, store_settings settings)
    : shards_{std::move(all)},
      settings_{std::move(settings)},
      turns_{shards_.size()},
      adopting_(shards_.size(), false),
      may_be_idle_(shards_.size(), false),
      pending_(shards_.size() * work_lanes),
      batches_(shards_.size()),
      resolving_(shards_.size()),
      promote_{shards_.size(), [this] { heard_late(); }, tells_trouble()},
      recover_{shards_.size(), [this] { heard_late(); }, tells_trouble()},
      news_{shards_.size(), [this] { heard_late(); }, tells_trouble()},
      clean_{shards_.size(), nullptr, tells_trouble()},
      trim_{shards_.size(), nullptr, tells_trouble()},
      beat_{shards_.size(), nullptr, tells_trouble()},
      leave_{shards_.size(), nullptr, tells_trouble()},
      busy_{shards_.size(), nullptr, tells_trouble()},
      schedules_{shards_.size(),
                 [this] {
                     if (listener_) listener_->schedules_changed();
                 },
                 tells_trouble()},
      shares_{shards_.size(), nullptr, tells_trouble()} {
    for (std::size_t at = 0; at < shards_.size(); ++at) {
        listeners_.push_back(std::make_unique<shard_listener>(*this, at));
        shards_[at]->listen(listeners_[at].get());
    }
}

sharded_store::~sharded_store() {
    for (const auto& one : shards_) one->listen(nullptr);
}

// Rounds are made again when the one that was away has answered.
void sharded_store::heard_late() {
    if (!listener_) return;
    listener_->woken();
    if (listener_) listener_->news_came();
}

shards::rounds<bool>::failed sharded_store::tells_trouble() {
    return [this](std::size_t shard, const std::exception_ptr& failure) { tell_trouble(shard, failure); };
}

void sharded_store::tell_trouble(std::size_t shard, const std::exception_ptr& failure) const {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        tell_trouble(shard, e.what());
    }
}

void sharded_store::tell_trouble(std::size_t shard, std::string_view text) const {
    if (settings_.trouble && !closed_)
        settings_.trouble("shard " + std::to_string(shard) + " of " + settings_.name_space + ": " +
                          std::string{text});
}

// ---- opening ----------------------------------------------------------------------------------------

struct sharded_store::open_state {
    open_state(const boost::asio::any_io_executor& executor, std::size_t shards)
        : changed{executor}, progress(shards), failures(shards) {}
    boost::asio::steady_timer changed;
    std::vector<opening> progress;
    std::vector<std::exception_ptr> failures;
    bool over = false;  // open() has ended
};

// Until it is open or, while open() waits for it, it has failed. A shard that comes later is checked as all are.
awaitable<void> sharded_store::keep_opening(std::size_t shard, std::shared_ptr<open_state> with) {
    const std::weak_ptr alive{alive_};
    std::string told;
    for (;;) {
        bool opened = false;
        std::string failure;
        try {
            co_await shards_[shard]->open();
            opened = true;
        } catch (const std::exception& e) {
            failure = e.what();
            with->failures[shard] = std::current_exception();
        }
        if (alive.expired()) co_return;
        with->progress[shard] = opened ? opening::open : opening::closed;
        with->changed.cancel();
        if (opened || !with->over || closed_) break;
        if (told != failure) tell_trouble(shard, failure);
        told = failure;
        with->progress[shard] = opening::under_way;
        boost::asio::steady_timer pause{with->changed.get_executor(), std::chrono::seconds{1}};
        co_await pause.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        if (alive.expired() || closed_) co_return;
    }
    if (!with->over || with->progress[shard] != opening::open) co_return;
    tell_trouble(shard, "it is there");
    if (!listener_) co_return;
    listener_->reconnected();
    heard_late();
}

// A shard that refuses is refused; one that does not answer is not waited for when another one is there.
awaitable<void> sharded_store::open() {
    using clock = std::chrono::steady_clock;
    const auto executor = co_await boost::asio::this_coro::executor;
    if (!opening_) opening_ = std::make_shared<open_state>(executor, shards());
    const auto with = opening_;
    with->over = false;
    for (std::size_t at = 0; at < shards(); ++at) {
        if (with->progress[at] != opening::closed) continue;
        with->progress[at] = opening::under_way;
        with->failures[at] = nullptr;
        boost::asio::co_spawn(executor, keep_opening(at, with), boost::asio::detached);
    }
    constexpr duration enough{1'000};
    const auto start = clock::now();
    const auto most = settings_.patience ? start + *settings_.patience / 2 : clock::time_point::max();
    auto end = std::min(start + enough, most);
    bool any = false;
    for (;;) {
        const auto waited_for = std::ranges::count(with->progress, opening::under_way);
        const bool some = std::ranges::count(with->progress, opening::open) > 0;
        // All may be far away: the others are given as long again as the first took.
        if (some && !std::exchange(any, true)) {
            const auto now = clock::now();
            end = std::max(end, std::min(now + (now - start), most));
        }
        const auto failure = std::ranges::find_if(with->failures, [](const auto& one) { return !!one; });
        // Not at once: those under way are to end as well.
        if (failure != with->failures.end() && (waited_for == 0 || clock::now() < end))
            std::rethrow_exception(*failure);
        if (waited_for == 0 || (some && clock::now() >= end)) break;
        with->changed.expires_at(some ? end : clock::time_point::max());
        co_await with->changed.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    with->over = true;
    clock_ =
        static_cast<std::size_t>(std::ranges::find(with->progress, opening::open) - with->progress.begin());
    for (std::size_t at = 0; at < shards(); ++at) {
        if (with->progress[at] == opening::open) continue;
        tell_trouble(at, "it does not answer; going on without it until it does");
        if (std::exchange(with->progress[at], opening::under_way) == opening::closed)
            boost::asio::co_spawn(executor, keep_opening(at, with), boost::asio::detached);
    }
}

bool sharded_store::is_yet_to_come(std::size_t shard) const {
    return opening_ && opening_->over && opening_->progress[shard] != opening::open;
}

void sharded_store::close() {
    closed_ = true;
    for (const auto& one : shards_) one->close();
}

void sharded_store::earlier(std::optional<time_point>& best, const std::optional<time_point>& at,
                            time_point its_now) const {
    if (!at) return;
    const auto here = moved(*at, its_now);
    if (!best || here < *best) best = here;
}

awaitable<promote_answer> sharded_store::promote(std::span<const std::string> queues, std::size_t limit,
                                                 std::string_view expired_outcome) {
    struct terms {
        std::vector<std::string> queues;
        std::string expired;
    };
    const auto with =
        std::make_shared<const terms>(terms{{queues.begin(), queues.end()}, std::string{expired_outcome}});
    const auto answers = co_await promote_.ask([&](std::size_t at) {
        return shards::keeping(with, shards_[at]->promote(with->queues, limit, with->expired));
    });
    promote_answer got;
    got.now = now();
    for (const auto& one : answers) {
        if (!one) continue;
        got.promoted += one->promoted;
        got.expired += one->expired;
        earlier(got.next_due, one->next_due, one->now);
    }
    co_return got;
}

// Less than the limit says that no shard has more.
awaitable<std::size_t> sharded_store::clean(std::size_t limit) {
    const auto share = limit / shards() + 1;
    const auto answers = co_await clean_.ask([&](std::size_t at) { return shards_[at]->clean(share); });
    std::size_t all = 0;
    for (const auto& one : answers) all = one.value_or(0) >= share ? limit : all + one.value_or(0);
    co_return std::min(all, limit);
}

awaitable<beat_answer> sharded_store::beat(std::string_view card, duration ttl,
                                           std::span<const std::string> queues) {
    struct terms {
        std::string card;
        std::vector<std::string> queues;
    };
    const auto with = std::make_shared<const terms>(terms{std::string{card}, {queues.begin(), queues.end()}});
    const auto answers = co_await beat_.ask([&](std::size_t at) {
        return shards::keeping(with, shards_[at]->beat(with->card, ttl, with->queues));
    });
    beat_answer got;
    for (const auto& one : answers) {
        if (!one) continue;
        got.alive = std::max(got.alive, one->alive);
        got.looks = got.looks || one->looks;
    }
    co_return got;
}

awaitable<void> sharded_store::leave(std::span<const std::string> queues) {
    const auto names = std::make_shared<const std::vector<std::string>>(queues.begin(), queues.end());
    co_await leave_.ask([&](std::size_t at) {
        return shards::keeping(names, shards::done(shards_[at]->leave(*names)));
    });
}

awaitable<std::optional<found_task>> sharded_store::find(const task_id& id) {
    auto found = co_await owner(id).find(id);
    if (found && found->claim != 0) found->claim = shards::outer_claim(found->claim, shard_of(id), shards());
    co_return found;
}

awaitable<watch_answer> sharded_store::watch(std::span<const watched_task> tasks) {
    const auto parts = by_shard(tasks, &watched_task::id);
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return shards_[one.shard]->watch(one.items);
    });
    watch_answer got;
    for (auto& one : answers) {
        std::ranges::move(one.ended, std::back_inserter(got.ended));
        std::ranges::move(one.unknown, std::back_inserter(got.unknown));
        std::ranges::move(one.replaced, std::back_inserter(got.replaced));
        std::ranges::move(one.gone, std::back_inserter(got.gone));
        got.now = std::max(got.now, one.now);
    }
    co_return got;
}

}  // namespace errand
