#include "client/deliver.hpp"

#include <errand/error.hpp>

#include "client/prepared_submission.hpp"
#include "client/settle_submission.hpp"
#include "runtime/parent_links.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace errand {

namespace {

time_point accepted_at(const submission_item& item) {
    return time_point{duration{static_cast<std::int64_t>(incarnation_of(item.body) >> 16U)}};
}

// Its time to be started in goes on while it is on its way.
void shorten_expiry(submission_item& item, time_point now) {
    if (!item.expires_after) return;
    const auto from = item.at.value_or(accepted_at(item));
    if (from < now) item.expires_after = std::max(from + *item.expires_after - now, duration{0});
}

std::exception_ptr refusal_of(const submission_item& item, const submit_answer& answer) {
    if (answer.verdict != submit_verdict::rejected) return nullptr;
    const auto body = decode_body(item.body);
    return refusal(answer, item.id, body.handler, body.biz_id, item.conflict);
}

// For an id that another submission holds. Of several shards the one that is away may be why, and the others are not to wait for it.
constexpr std::chrono::milliseconds busy_for_in_one_shard{5000}, busy_for_in_several{250};

awaitable<delivered_item> finished(loop& there, submission_item item, submit_answer first,
                                   std::chrono::milliseconds most_busy) {
    delivered_item got;
    got.answer = co_await settle_submission(there, item, std::move(first), most_busy);
    if (got.answer.others.empty()) {
        got.refused = refusal_of(item, got.answer);
        co_return got;
    }
    const auto body = decode_body(item.body);
    task_names known{{item.id, name_of(item.id, body.handler, body.biz_id)}};
    got.refused = co_await dependency_refusal(there.tasks(), got.answer, std::move(known));
    co_return got;
}

// One call of deliver().
class deliverer {
public:
    deliverer(loop& there, std::size_t count, std::chrono::milliseconds most)
        : there_{there}, until_{std::chrono::steady_clock::now() + most} {
        all_.reserve(count);
    }

    // Those that have come before are in the store when this returns, or have failed.
    awaitable<void> add(submission_item item) {
        const bool looks_first = there_.tasks().shards() > 1 && !item.after.empty();
        if (looks_first || is_late() || stays(item) || ids_.contains(item.id)) co_await send_group();
        if (stays(item)) {
            keep(item.id, failure_);
        } else if (group_.empty() && is_late()) {
            keep(item.id, std::make_exception_ptr(too_late()));
        } else if (looks_first) {
            co_await send_alone(std::move(item));
        } else {
            ids_.insert(item.id);
            group_.push_back(std::move(item));
        }
    }

    awaitable<std::vector<delivered_item>> end() {
        co_await send_group();
        if (failure_ && !answered_) std::rethrow_exception(failure_);
        co_return std::move(all_);
    }

private:
    static store_error too_late() { return store_error{"the store takes too long"}; }
    bool is_late() const { return std::chrono::steady_clock::now() > until_; }
    std::chrono::milliseconds most_busy() const {
        const auto left =
            std::chrono::floor<std::chrono::milliseconds>(until_ - std::chrono::steady_clock::now());
        return std::min(left, there_.tasks().shards() > 1 ? busy_for_in_several : busy_for_in_one_shard);
    }

    bool stays(const submission_item& item) const {
        return failed_.contains(item.id) || (failure_ && !item.after.empty());
    }

    // Answers are in order: the group, which came before, has to have its own.
    void keep(const task_id& id, std::exception_ptr why) {
        failed_.insert(id);
        if (!failure_) failure_ = why;
        all_.emplace_back().failed = std::move(why);
    }

    awaitable<void> send_alone(submission_item item) {
        const auto id = item.id;
        try {
            auto answer = co_await foreseen_refusal(there_.tasks(), item);
            if (!answer && is_late()) throw too_late();
            if (!answer) answer = co_await there_.submissions().submit(submission_item{item});
            answered_ = true;
            all_.push_back(co_await finished(there_, std::move(item), std::move(*answer), most_busy()));
        } catch (const store_error&) {
            keep(id, std::current_exception());
        }
    }

    // Each id once: what the store answers is then about the item itself.
    awaitable<void> send_group() {
        ids_.clear();
        if (group_.empty()) co_return;
        auto got = co_await there_.submissions().submit_group(std::exchange(group_, {}), submit_mode::each);
        const auto any = std::ranges::find_if(got.failures, [](const auto& one) { return one != nullptr; });
        for (std::size_t i = 0; i < got.items.size(); ++i) {
            auto& item = got.items[i];
            if (any != got.failures.end() && (got.failures[i] || !item.after.empty())) {
                keep(item.id, got.failures[i] ? got.failures[i] : *any);
            } else {
                answered_ = true;
                co_await take(std::move(item), std::move(got.answers[i]));
            }
        }
    }

    awaitable<void> take(submission_item item, submit_answer answer) {
        if (!is_unsettled(answer)) {
            auto& one = all_.emplace_back();
            one.refused = refusal_of(item, answer);
            one.answer = std::move(answer);
            co_return;
        }
        const auto id = item.id;
        // It may be unsettled as what it waits for is.
        if (answer.verdict == submit_verdict::busy && stays(item)) {
            keep(id, failure_);
            co_return;
        }
        try {
            all_.push_back(co_await finished(there_, std::move(item), std::move(answer), most_busy()));
        } catch (const store_error&) {
            keep(id, std::current_exception());
        }
    }

    loop& there_;
    const std::chrono::steady_clock::time_point until_;
    std::vector<delivered_item> all_;
    std::vector<submission_item> group_;
    std::unordered_set<task_id> ids_;  // of the group
    std::unordered_set<task_id> failed_;
    std::exception_ptr failure_;  // the first one
    bool answered_ = false;       // the store has said something about one of them
};

}  // namespace

awaitable<std::vector<delivered_item>> deliver(loop& there, std::vector<submission_item> items,
                                               std::chrono::milliseconds most) {
    deliverer under_way{there, items.size(), most};
    for (auto& item : items) {
        shorten_expiry(item, there.tasks().now());
        co_await under_way.add(std::move(item));
    }
    co_return co_await under_way.end();
}

}  // namespace errand
