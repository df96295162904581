// Dependencies over several shards: the child's side of an edge is kept with the child, the parent's with the parent.
#include <errand/error.hpp>

#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <iterator>

namespace errand {

awaitable<store::enrol_answer> sharded_store::enrol(const task_id& id, incarnation life,
                                                    std::span<const parent_task> parents) {
    std::vector<parent_task> placed{parents.begin(), parents.end()};
    for (auto& one : placed) {
        if (shard_of(one.id) != shard_of(id)) one.where = parent_task::location::elsewhere;
    }
    co_return co_await owner(id).enrol(id, life, placed);
}

awaitable<std::vector<standing>> sharded_store::depend(const task_id& child, depend_mode mode,
                                                       std::span<const task_id> parents) {
    const auto parts = by_shard(parents);
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return shards_[one.shard]->depend(child, mode, one.items);
    });
    co_return shards::in_order(parts, std::move(answers), parents.size());
}

// Each shard is asked until it has looked at all of its own: what one page leaves out is not the last of the whole.
awaitable<std::vector<links_page>> sharded_store::links(link kind, std::span<const links_from> from,
                                                        bool of_waiting) {
    const auto parts = by_shard(from, &links_from::of);
    const auto ask =
        [kind, of_waiting](store& in,
                           const std::vector<links_from>& asked) -> awaitable<std::vector<links_page>> {
        std::vector<links_page> pages;
        while (pages.size() < asked.size()) {
            auto some = co_await in.links(kind, std::span{asked}.subspan(pages.size()), of_waiting);
            std::ranges::move(some, std::back_inserter(pages));
        }
        co_return pages;
    };
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return ask(*shards_[one.shard], one.items);
    });
    co_return shards::in_order(parts, std::move(answers), from.size());
}

awaitable<news_answer> sharded_store::take_news(std::size_t limit, duration lease) {
    auto answers = co_await news_.ask([&](std::size_t at) { return shards_[at]->take_news(limit, lease); });
    news_answer got{.entries = {}, .next = {}, .now = now()};
    for (auto& one : answers) {
        if (!one) continue;
        std::ranges::move(one->entries, std::back_inserter(got.entries));
        earlier(got.next, one->next, one->now);
    }
    co_return got;
}

// Those in shards that are there are told whatever becomes of the others; then it throws, and the news come again.
awaitable<std::vector<std::vector<task_id>>> sharded_store::resolve(std::span<const resolution> all,
                                                                    std::string_view gathered) {
    using answer = std::vector<std::vector<task_id>>;
    struct told {
        std::vector<shards::part<resolution>> parts;
        std::string gathered;
    };
    const auto with = std::make_shared<told>();
    with->parts.resize(shards());
    with->gathered = gathered;
    for (std::size_t index = 0; index < all.size(); ++index) {
        for (const auto& child : all[index].children) {
            auto& to = with->parts[shard_of(child)];
            if (to.indexes.empty() || to.indexes.back() != index) {
                const auto& one = all[index];
                to.items.push_back(
                    {.parent = one.parent, .what = one.what, .cancelled = one.cancelled, .children = {}});
                to.indexes.push_back(index);
            }
            to.items.back().children.push_back(child);
        }
    }
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto end = std::chrono::steady_clock::now() + shards::patience_with_one;
    std::vector<std::shared_ptr<shards::late_answers<answer>>> calls(shards());
    bool one_is_away = false;
    for (std::size_t at = 0; at < shards(); ++at) {
        if (with->parts[at].items.empty()) continue;
        // Still away.
        if (resolving_[at] && !resolving_[at]->done()) {
            one_is_away = true;
            continue;
        }
        calls[at] = resolving_[at] = std::make_shared<shards::late_answers<answer>>(executor, 1);
        calls[at]->start(0, shards_[at]->resolve(with->parts[at].items, with->gathered), with);
    }
    std::vector<std::vector<task_id>> again(all.size());
    for (std::size_t at = 0; at < shards(); ++at) {
        if (!calls[at]) continue;
        const auto left = std::chrono::ceil<duration>(end - std::chrono::steady_clock::now());
        co_await calls[at]->wait(std::max(left, duration{0}));
        const auto got = calls[at]->done() ? calls[at]->take(0) : std::nullopt;
        one_is_away = one_is_away || !got;
        const auto& indexes = with->parts[at].indexes;
        for (std::size_t i = 0; got && i < indexes.size(); ++i)
            std::ranges::copy((*got)[i], std::back_inserter(again[indexes[i]]));
    }
    if (one_is_away) throw store_error{"resolve: a shard does not answer; its tasks are told when it does"};
    co_return again;
}

// What is not struck off in time is told again, which changes nothing.
awaitable<void> sharded_store::delivered(std::span<const delivery> all) {
    const auto with =
        std::make_shared<const std::vector<shards::part<delivery>>>(by_shard(all, &delivery::about));
    const auto calls =
        std::make_shared<shards::late_answers<bool>>(co_await boost::asio::this_coro::executor, with->size());
    for (std::size_t at = 0; at < with->size(); ++at) {
        const auto& one = (*with)[at];
        calls->start(at, shards::done(shards_[one.shard]->delivered(one.items)), with);
    }
    co_await calls->wait(shards::patience_with_one);
}

}  // namespace errand
