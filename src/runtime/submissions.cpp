#include "runtime/submissions.hpp"

#include "runtime/async_gate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace errand {

namespace asio = boost::asio;

struct submissions::whole {
    whole(const asio::any_io_executor& executor, std::set<std::size_t> of)
        : go{executor}, shards{std::move(of)} {}
    async_gate go;
    std::set<std::size_t> shards;
    bool may_go = false;
};

submissions::submissions(const asio::any_io_executor& executor, store& to, std::optional<duration> patience)
    : executor_{executor}, to_{to} {
    for (std::size_t at = 0; at < to.shards(); ++at) lines_.emplace_back(executor, to, patience);
}

void submissions::close() {
    for (auto& one : lines_) one.close();
}

awaitable<submit_answer> submissions::submit(submission_item item) {
    return lines_[lines_.size() == 1 ? 0 : to_.shard_of(item.id)].submit(std::move(item));
}

awaitable<submitter::group_answer> submissions::submit_group(std::vector<submission_item> items,
                                                             submit_mode mode) {
    if (lines_.size() == 1) return lines_.front().submit_group(std::move(items), mode);
    auto shards = shards_of(items);
    if (shards.size() <= 1)
        return lines_[shards.empty() ? 0 : *shards.begin()].submit_group(std::move(items), mode);
    if (mode == submit_mode::each) return submit_apart(std::move(items));
    return submit_whole(std::move(items), mode, std::move(shards));
}

std::set<std::size_t> submissions::shards_of(const std::vector<submission_item>& items) const {
    std::set<std::size_t> all;
    for (const auto& one : items) all.insert(to_.shard_of(one.id));
    return all;
}

// Each shard takes its own as if nothing else had been asked for.
awaitable<submitter::group_answer> submissions::submit_apart(std::vector<submission_item> items) {
    std::map<std::size_t, std::pair<std::vector<submission_item>, std::vector<std::size_t>>> parts;
    const auto count = items.size();
    for (std::size_t at = 0; at < count; ++at) {
        auto& [mine, places] = parts[to_.shard_of(items[at].id)];
        mine.push_back(std::move(items[at]));
        places.push_back(at);
    }
    using operation =
        decltype(asio::co_spawn(executor_, lines_.front().submit_group(std::move(items), submit_mode::each),
                                asio::deferred));
    std::vector<operation> calls;
    for (auto& [shard, part] : parts) {
        calls.push_back(asio::co_spawn(
            executor_, lines_[shard].submit_group(std::move(part.first), submit_mode::each), asio::deferred));
    }
    auto together = asio::experimental::make_parallel_group(std::move(calls));
    auto ended = co_await together.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& failure : std::get<1>(ended)) {
        if (failure) std::rethrow_exception(failure);
    }
    group_answer all;
    all.items.resize(count);
    all.answers.resize(count);
    std::size_t at = 0;
    for (auto& [shard, part] : parts) {
        auto& got = std::get<2>(ended)[at++];
        for (std::size_t i = 0; i < part.second.size(); ++i) {
            const auto place = part.second[i];
            all.items[place] = std::move(got.items[i]);
            all.answers[place] = std::move(got.answers[i]);
            if (got.failures.empty() || !got.failures[i]) continue;
            all.failures.resize(count);
            all.failures[place] = got.failures[i];
        }
    }
    co_return all;
}

awaitable<submitter::group_answer> submissions::submit_whole(std::vector<submission_item> items,
                                                             submit_mode mode, std::set<std::size_t> shards) {
    whole mine{executor_, std::move(shards)};
    wholes_.push_back(&mine);
    let_go();
    group_answer got;
    std::exception_ptr failure;
    try {
        while (!mine.may_go) {
            co_await mine.go.wait();
            co_await asio::this_coro::throw_if_cancelled();
        }
        got.answers = co_await to_.submit(store::lane_of_several_shards, items, mode);
    } catch (...) {
        failure = std::current_exception();
    }
    std::erase(wholes_, &mine);
    let_go();
    if (failure) {
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(failure);
        got.answers.resize(items.size());
        got.failures.assign(items.size(), failure);
    }
    got.items = std::move(items);
    co_return got;
}

void submissions::let_go() {
    std::set<std::size_t> taken;
    for (auto* one : wholes_) {
        const bool free =
            std::ranges::none_of(one->shards, [&](std::size_t shard) { return taken.contains(shard); });
        taken.insert(one->shards.begin(), one->shards.end());
        if (!free || one->may_go) continue;
        one->may_go = true;
        one->go.open();
    }
}

}  // namespace errand
