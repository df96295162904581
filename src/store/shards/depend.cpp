// Dependencies over several shards: the child's side of an edge is kept with the child, the parent's with the parent.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <iterator>

namespace errand {

awaitable<store::enrol_answer> sharded_store::enrol(const task_id& id, incarnation life,
                                                    std::span<const parent_task> parents) {
    std::vector<parent_task> placed{parents.begin(), parents.end()};
    for (auto& one : placed) {
        if (shard_of(one.id) != shard_of(id)) one.where = parent_task::place::elsewhere;
    }
    co_return co_await of(id).enrol(id, life, placed);
}

awaitable<std::vector<standing>> sharded_store::depend(const task_id& child, depend_mode mode,
                                                       std::span<const task_id> parents) {
    const auto parts = shards::split(parents, shards(), [this](const task_id& one) { return shard_of(one); });
    std::vector<awaitable<std::vector<standing>>> calls;
    for (const auto& one : parts) calls.push_back(shards_[one.shard]->depend(child, mode, one.items));
    const auto answers = co_await shards::together(std::move(calls));
    std::vector<standing> all(parents.size());
    for (std::size_t at = 0; at < parts.size(); ++at) {
        for (std::size_t i = 0; i < answers[at].size(); ++i) all[parts[at].places[i]] = answers[at][i];
    }
    co_return all;
}

// Each shard is asked until it has looked at all of its own: what one page leaves out is not the last of the whole.
awaitable<std::vector<links_page>> sharded_store::links(link kind, std::span<const links_from> from,
                                                        bool of_waiting) {
    const auto parts =
        shards::split(from, shards(), [this](const links_from& one) { return shard_of(one.of); });
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
    std::vector<awaitable<std::vector<links_page>>> calls;
    for (const auto& one : parts) calls.push_back(ask(*shards_[one.shard], one.items));
    auto answers = co_await shards::together(std::move(calls));
    std::vector<links_page> all(from.size());
    for (std::size_t at = 0; at < parts.size(); ++at) {
        for (std::size_t i = 0; i < answers[at].size(); ++i)
            all[parts[at].places[i]] = std::move(answers[at][i]);
    }
    co_return all;
}

awaitable<news_answer> sharded_store::take_news(std::size_t limit, duration lease) {
    auto answers = co_await everywhere<news_answer>([&](store& in) { return in.take_news(limit, lease); });
    news_answer got{.entries = {}, .next = {}, .now = now()};
    for (auto& one : answers) {
        std::ranges::move(one.entries, std::back_inserter(got.entries));
        earlier(got.next, one.next, one.now);
    }
    co_return got;
}

awaitable<std::vector<std::vector<task_id>>> sharded_store::resolve(std::span<const resolution> all,
                                                                    std::string_view gathered) {
    std::vector<shards::part<resolution>> parts(shards());
    for (std::size_t place = 0; place < all.size(); ++place) {
        for (const auto& child : all[place].children) {
            auto& to = parts[shard_of(child)];
            if (to.places.empty() || to.places.back() != place) {
                const auto& one = all[place];
                to.items.push_back(
                    {.parent = one.parent, .what = one.what, .cancelled = one.cancelled, .children = {}});
                to.places.push_back(place);
            }
            to.items.back().children.push_back(child);
        }
    }
    std::vector<awaitable<std::vector<std::vector<task_id>>>> calls;
    std::vector<std::size_t> called;
    for (std::size_t at = 0; at < shards(); ++at) {
        if (parts[at].items.empty()) continue;
        calls.push_back(shards_[at]->resolve(parts[at].items, gathered));
        called.push_back(at);
    }
    const auto answers = co_await shards::together(std::move(calls));
    std::vector<std::vector<task_id>> again(all.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto& places = parts[called[i]].places;
        for (std::size_t at = 0; at < places.size(); ++at)
            std::ranges::copy(answers[i][at], std::back_inserter(again[places[at]]));
    }
    co_return again;
}

awaitable<void> sharded_store::delivered(std::span<const delivery> all) {
    const auto parts =
        shards::split(all, shards(), [this](const delivery& one) { return shard_of(one.about); });
    std::vector<awaitable<bool>> calls;
    for (const auto& one : parts) calls.push_back(shards::done(shards_[one.shard]->delivered(one.items)));
    co_await shards::together(std::move(calls));
}

}  // namespace errand
