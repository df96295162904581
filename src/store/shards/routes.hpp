// Which shard is concerned by what, as pure functions.
#pragma once

#include "store/store.hpp"

#include <cstddef>
#include <vector>

namespace errand::shards {

// scripts/lib_away.lua does the same.
inline std::size_t shard_of(const task_id& id, std::size_t shards) noexcept {
    return shard_of_id(id, shards);
}

// Two shards may give the same claim number: outside of them it carries its shard, and grows as before.
inline claim_number outer_claim(claim_number of, std::size_t shard, std::size_t shards) noexcept {
    return of * shards + shard;
}
inline std::size_t shard_of_claim(claim_number outer, std::size_t shards) noexcept { return outer % shards; }
inline claim_number inner_claim(claim_number outer, std::size_t shards) noexcept { return outer / shards; }

// What falls to one shard: items, and where in the whole they stood.
template <class Item>
struct part {
    std::size_t shard = 0;
    std::vector<Item> items;
    std::vector<std::size_t> indexes;
};

// Only the shards that something falls to. `shard_of_item(item)`.
template <class Items, class ShardOf>
auto split(const Items& all, std::size_t shards, ShardOf shard_of_item) {
    using item = std::decay_t<decltype(*std::begin(all))>;
    std::vector<part<item>> parts(shards);
    std::size_t index = 0;
    for (const auto& one : all) {
        auto& to = parts.at(shard_of_item(one));
        to.items.push_back(one);
        to.indexes.push_back(index++);
    }
    for (std::size_t at = 0; at < shards; ++at) parts[at].shard = at;
    std::erase_if(parts, [](const auto& one) { return one.items.empty(); });
    return parts;
}

// The answers to the items of each part, in the order of the whole. `none`: of an item that has no answer.
template <class Item, class Answer>
std::vector<Answer> in_order(const std::vector<part<Item>>& parts, std::vector<std::vector<Answer>> answers,
                             std::size_t count, const Answer& none = {}) {
    std::vector<Answer> all(count, none);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        for (std::size_t i = 0; i < answers[at].size(); ++i)
            all[parts[at].indexes[i]] = std::move(answers[at][i]);
    }
    return all;
}

}  // namespace errand::shards
