// What concerns the shards as a whole, and calls about one task.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace errand {

// Hears one shard.
class sharded_store::ear final : public store_listener {
public:
    ear(sharded_store& whole, std::size_t shard) : whole_{whole}, shard_{shard} {}

    void woken() override {
        // There is something: asked first, it is found with one call.
        whole_.first_asked_ = shard_;
        if (whole_.listener_) whole_.listener_->woken();
    }
    void task_given(claimed_task task) override {
        whole_.first_asked_ = shard_;
        if (whole_.listener_) whole_.listener_->task_given(whole_.outer(std::move(task), shard_));
    }
    void stands_aside() override {
        if (whole_.listener_) whole_.listener_->stands_aside();
    }
    void news_came() override {
        if (whole_.listener_) whole_.listener_->news_came();
    }
    void task_cancelled(const task_id& id) override {
        if (whole_.listener_) whole_.listener_->task_cancelled(id);
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

sharded_store::sharded_store(std::vector<std::unique_ptr<store>> all)
    : shards_{std::move(all)}, adopting_(shards_.size(), false), may_be_idle_(shards_.size(), false) {
    for (std::size_t at = 0; at < shards_.size(); ++at) {
        ears_.push_back(std::make_unique<ear>(*this, at));
        shards_[at]->listen(ears_[at].get());
    }
}

sharded_store::~sharded_store() {
    for (const auto& one : shards_) one->listen(nullptr);
}

awaitable<void> sharded_store::open() {
    co_await everywhere<bool>([](store& in) { return shards::done(in.open()); });
}

void sharded_store::close() {
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
    const auto answers = co_await everywhere<promote_answer>([&](store& in) {
        return in.promote(queues, limit, expired_outcome);
    });
    promote_answer got;
    got.now = now();
    for (const auto& one : answers) {
        got.promoted += one.promoted;
        got.expired += one.expired;
        earlier(got.next_due, one.next_due, one.now);
    }
    co_return got;
}

awaitable<std::size_t> sharded_store::clean(std::size_t limit) {
    const auto answers =
        co_await everywhere<std::size_t>([&](store& in) { return in.clean(limit / shards() + 1); });
    // Less than the limit says that no shard has more.
    if (std::ranges::any_of(answers, [&](std::size_t one) { return one > limit / shards(); }))
        co_return limit;
    co_return std::accumulate(answers.begin(), answers.end(), std::size_t{0});
}

awaitable<beat_answer> sharded_store::beat(std::string_view card, duration ttl,
                                           std::span<const std::string> queues) {
    const auto answers =
        co_await everywhere<beat_answer>([&](store& in) { return in.beat(card, ttl, queues); });
    beat_answer got;
    for (const auto& one : answers) {
        got.alive = std::max(got.alive, one.alive);
        got.looks = got.looks || one.looks;
    }
    co_return got;
}

awaitable<void> sharded_store::leave(std::span<const std::string> queues) {
    co_await everywhere<bool>([&](store& in) { return shards::done(in.leave(queues)); });
}

awaitable<report_verdict> sharded_store::note(const task_id& id, claim_number claim, std::string notes) {
    return of(id).note(id, shards::inner_claim(claim, shards()), std::move(notes));
}

awaitable<report_verdict> sharded_store::stage(const task_id& id, claim_number claim, incarnation life,
                                               std::string record) {
    return of(id).stage(id, shards::inner_claim(claim, shards()), life, std::move(record));
}

awaitable<stages_answer> sharded_store::stages(const task_id& id, claim_number claim) {
    return of(id).stages(id, shards::inner_claim(claim, shards()));
}

awaitable<cancel_answer> sharded_store::cancel(const task_id& id, incarnation life,
                                               std::string_view outcome) {
    return of(id).cancel(id, life, outcome);
}

awaitable<std::optional<found_task>> sharded_store::find(const task_id& id) {
    auto found = co_await of(id).find(id);
    if (found && found->claim != 0) found->claim = shards::outer_claim(found->claim, shard_of(id), shards());
    co_return found;
}

awaitable<bool> sharded_store::revive(const task_id& id, incarnation life, time_point finished_at,
                                      std::string_view encoded_notes) {
    return of(id).revive(id, life, finished_at, encoded_notes);
}

awaitable<confirm_verdict> sharded_store::confirm(const task_id& id, incarnation life, bool walked) {
    return of(id).confirm(id, life, walked);
}

awaitable<void> sharded_store::withdraw(const task_id& id, incarnation life) {
    return of(id).withdraw(id, life);
}

awaitable<watch_answer> sharded_store::watch(std::span<const watched_task> tasks) {
    const auto parts =
        shards::split(tasks, shards(), [this](const watched_task& one) { return shard_of(one.id); });
    std::vector<awaitable<watch_answer>> calls;
    for (const auto& one : parts) calls.push_back(shards_[one.shard]->watch(one.items));
    auto answers = co_await shards::together(std::move(calls));
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
