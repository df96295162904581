// Leases over several shards: extend and recover.
#include "store/shards/sharded_store.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace errand {

// Leases in one shard are not lost because another does not answer: that one is left behind, and what it says in the end
// is told next time.
awaitable<extend_answer> sharded_store::extend(const extend_call& asked) {
    using extension = shards::late_answers<extend_answer>;
    // Also who only looks whether he has his leases, and lengthens none, waits for answers.
    constexpr duration shortest{200};
    constexpr duration longest{5000};
    const auto n = shards();
    const auto parts = std::make_shared<std::vector<extend_call>>(n);
    for (const auto claim : asked.claims)
        (*parts)[shards::shard_of_claim(claim, n)].claims.push_back(shards::inner_claim(claim, n));
    for (const auto& [id, claim] : asked.tasks)
        (*parts)[shard_of(id)].tasks.emplace_back(id, shards::inner_claim(claim, n));
    const auto executor = co_await boost::asio::this_coro::executor;
    extend_answer got;
    const auto hear = [&got, n](extension& from, std::size_t at) {
        const auto answer = from.take(0);
        if (!answer) return false;
        for (const auto claim : answer->lost_claims)
            got.lost_claims.push_back(shards::outer_claim(claim, at, n));
        for (const auto& [id, claim] : answer->lost_tasks)
            got.lost_tasks.emplace_back(id, shards::outer_claim(claim, at, n));
        return true;
    };
    extensions_.resize(n);
    std::vector<std::shared_ptr<extension>> sent(n);
    for (std::size_t at = 0; at < n; ++at) {
        auto& part = (*parts)[at];
        if (part.claims.empty() && part.tasks.empty()) continue;
        if (extensions_[at]) {
            if (!extensions_[at]->done()) continue;
            hear(*std::exchange(extensions_[at], nullptr), at);
        }
        part.lease = asked.lease;
        part.never_shorter = asked.never_shorter;
        sent[at] = std::make_shared<extension>(executor, 1);
        extensions_[at] = sent[at];
        sent[at]->start(0, shards_[at]->extend(part), parts);
    }
    const auto patience = std::clamp<duration>(asked.lease / 6, shortest, longest);
    const auto end = std::chrono::steady_clock::now() + patience;
    std::exception_ptr failure;
    bool any = false;
    for (std::size_t at = 0; at < n; ++at) {
        bool heard = false;
        if (sent[at]) {
            const auto left = std::chrono::ceil<duration>(end - std::chrono::steady_clock::now());
            try {
                co_await sent[at]->wait(std::max(left, duration{0}));
            } catch (...) {
                failure = std::current_exception();
            }
            if (sent[at]->done()) {
                heard = hear(*sent[at], at);
                if (extensions_[at] == sent[at]) extensions_[at] = nullptr;
            }
        }
        any = any || heard;
        if (heard) continue;
        for (const auto& [id, claim] : (*parts)[at].tasks)
            got.unheard.emplace_back(id, shards::outer_claim(claim, at, n));
    }
    if (failure && !any) std::rethrow_exception(failure);
    co_return got;
}

awaitable<recover_answer> sharded_store::recover(std::size_t limit, duration lease) {
    auto answers = co_await recover_.ask([&](std::size_t at) { return shards_[at]->recover(limit, lease); });
    recover_answer got;
    for (std::size_t at = 0; at < answers.size(); ++at) {
        if (!answers[at]) continue;
        earlier(got.next_end, answers[at]->next_end, answers[at]->now);
        for (auto& task : answers[at]->tasks) got.tasks.push_back(outer(std::move(task), at));
    }
    got.now = now();
    co_return got;
}

}  // namespace errand
