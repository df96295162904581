// work over several shards: reports go to the shard of their task, free slots are shared.
#include "store/shards/sharded_store.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>

namespace errand {

// What the shards are told and asked at the same time.
struct sharded_store::work_round {
    std::vector<work_call> calls;                  // one for each shard
    std::vector<std::vector<std::size_t>> places;  // of their reports in the whole
    std::vector<std::size_t> asked;                // the shards that have something to do

    explicit work_round(std::size_t shards) : calls(shards), places(shards) {}

    void keep_used() {
        for (std::size_t at = 0; at < calls.size(); ++at) {
            const auto& one = calls[at];
            if (!one.reports.empty() || !one.closed.empty() || one.claim.limit > 0) asked.push_back(at);
        }
    }
};

claimed_task sharded_store::outer(claimed_task one, std::size_t shard) const {
    one.claim = shards::outer_claim(one.claim, shard, shards());
    return one;
}

awaitable<work_answer> sharded_store::work(const work_call& asked) {
    const auto n = shards();
    const auto executor = co_await boost::asio::this_coro::executor;
    auto round = std::make_shared<work_round>(n);
    for (std::size_t at = 0; at < asked.reports.size(); ++at) {
        const auto shard = shard_of(asked.reports[at].id);
        round->calls[shard].reports.push_back(asked.reports[at]);
        round->calls[shard].reports.back().claim = shards::inner_claim(asked.reports[at].claim, n);
        round->places[shard].push_back(at);
    }
    for (const auto claim : asked.closed)
        round->calls[shards::shard_of_claim(claim, n)].closed.push_back(shards::inner_claim(claim, n));

    work_answer got;
    got.verdicts.assign(asked.reports.size(), report_verdict::accepted);
    shards::claim_shares shares{n, asked.claim.limit, first_asked_};
    for (;;) {
        const auto limits = shares.next();
        for (std::size_t at = 0; at < limits.size(); ++at) {
            if (limits[at] == 0) continue;
            round->calls[at].claim = asked.claim;
            round->calls[at].claim.limit = limits[at];
        }
        for (auto& one : round->calls) one.lane = asked.lane;
        round->keep_used();
        if (round->asked.empty()) break;
        const auto answers = std::make_shared<shards::gathering<work_answer>>(executor, n);
        for (const auto at : round->asked) answers->start(at, shards_[at]->work(round->calls[at]), round);
        for (bool all = false; !all;) {
            co_await answers->wait(asked.claim.lease / 3);
            all = answers->done();
            for (const auto at : round->asked) {
                auto answer = answers->take(at);
                if (!answer) continue;
                for (std::size_t r = 0; r < round->places[at].size(); ++r)
                    got.verdicts[round->places[at][r]] = answer->verdicts[r];
                earlier(got.next_due, answer->next_due, answer->now);
                const auto limit = round->calls[at].claim.limit;
                if (limit > 0) {
                    shares.took(at, limit, answer->claimed.size());
                    may_be_idle_[at] = answer->claimed.size() < limit;
                }
                for (auto& task : answer->claimed) got.claimed.push_back(outer(std::move(task), at));
            }
            // What one shard gave waits here for another: it is not to be lost for that.
            if (!all) co_await keep(got.claimed, asked.claim.lease);
        }
        round = std::make_shared<work_round>(n);
    }
    got.now = now();
    if (asked.claim.limit > 0) {
        first_asked_ = shares.first();
        // Not to be woken by one shard for a slot that another has filled.
        if (shares.left() == 0) {
            got.next_due.reset();
            co_await take_off(asked.claim.queues);
        }
    }
    co_return got;
}

awaitable<void> sharded_store::keep(const std::vector<claimed_task>& tasks, duration lease) {
    std::vector<extend_call> calls(shards());
    for (const auto& one : tasks) {
        auto& claims = calls[shard_of(one.id)].claims;
        const auto claim = shards::inner_claim(one.claim, shards());
        if (claims.empty() || claims.back() != claim) claims.push_back(claim);
    }
    for (std::size_t at = 0; at < shards(); ++at) {
        calls[at].lease = lease;
        if (!calls[at].claims.empty()) co_await shards_[at]->extend(calls[at]);
    }
}

awaitable<void> sharded_store::take_off(std::span<const std::string> queues) {
    std::vector<awaitable<bool>> calls;
    for (std::size_t at = 0; at < shards(); ++at) {
        if (may_be_idle_[at]) calls.push_back(shards::done(shards_[at]->busy(queues)));
        may_be_idle_[at] = false;
    }
    co_await shards::together(std::move(calls));
}

awaitable<void> sharded_store::busy(std::span<const std::string> queues) {
    co_await everywhere<bool>([&](store& in) { return shards::done(in.busy(queues)); });
}

// Leases in one shard are not lost because another does not answer: that one is left behind, and what it says in the end
// is told next time.
awaitable<extend_answer> sharded_store::extend(const extend_call& asked) {
    const auto n = shards();
    const auto parts = std::make_shared<std::vector<extend_call>>(n);
    for (const auto claim : asked.claims)
        (*parts)[shards::shard_of_claim(claim, n)].claims.push_back(shards::inner_claim(claim, n));
    for (const auto& [id, claim] : asked.tasks)
        (*parts)[shard_of(id)].tasks.emplace_back(id, shards::inner_claim(claim, n));
    const auto executor = co_await boost::asio::this_coro::executor;
    extensions_.resize(n);
    for (std::size_t at = 0; at < n; ++at) {
        auto& part = (*parts)[at];
        if ((part.claims.empty() && part.tasks.empty()) || extensions_[at]) continue;
        part.lease = asked.lease;
        extensions_[at] = std::make_shared<shards::gathering<extend_answer>>(executor, 1);
        extensions_[at]->start(0, shards_[at]->extend(part), parts);
    }
    const auto end = std::chrono::steady_clock::now() + asked.lease / 6;
    extend_answer got;
    for (std::size_t at = 0; at < n; ++at) {
        if (!extensions_[at]) continue;
        const auto left = std::chrono::ceil<duration>(end - std::chrono::steady_clock::now());
        co_await extensions_[at]->wait(std::max(left, duration{0}));
        if (!extensions_[at]->done()) continue;
        const auto answer = std::exchange(extensions_[at], nullptr)->take(0).value_or(extend_answer{});
        for (const auto claim : answer.lost_claims)
            got.lost_claims.push_back(shards::outer_claim(claim, at, n));
        for (const auto& [id, claim] : answer.lost_tasks)
            got.lost_tasks.emplace_back(id, shards::outer_claim(claim, at, n));
    }
    co_return got;
}

awaitable<recover_answer> sharded_store::recover(std::size_t limit, duration lease) {
    auto answers = co_await everywhere<recover_answer>([&](store& in) { return in.recover(limit, lease); });
    recover_answer got;
    for (std::size_t at = 0; at < answers.size(); ++at) {
        earlier(got.next_end, answers[at].next_end, answers[at].now);
        for (auto& task : answers[at].tasks) got.tasks.push_back(outer(std::move(task), at));
    }
    got.now = now();
    co_return got;
}

}  // namespace errand
