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
        auto& to = parts[shard_of_item(one)];
        to.items.push_back(one);
        to.indexes.push_back(index++);
    }
    for (std::size_t at = 0; at < shards; ++at) parts[at].shard = at;
    std::erase_if(parts, [](const auto& one) { return one.items.empty(); });
    return parts;
}

// How the free slots of a claim are shared: never more than `limit` in all; who filled its share is asked again as long
// as something is left, so that in the end the limit is reached or every shard was found short.
class claim_shares {
public:
    claim_shares(std::size_t shards, std::size_t limit, std::size_t first)
        : short_(shards, false), left_{limit}, first_{first % shards} {}

    // What each shard is to be asked for now; empty when that was all.
    std::vector<std::size_t> next() {
        std::vector<std::size_t> candidates;
        for (std::size_t i = 0; i < short_.size(); ++i) {
            const auto at = (first_ + i) % short_.size();
            if (!short_[at]) candidates.push_back(at);
        }
        if (left_ == 0 || candidates.empty()) return {};
        std::vector<std::size_t> shares(short_.size(), 0);
        const auto more = left_ % candidates.size();
        for (std::size_t i = 0; i < candidates.size(); ++i)
            shares[candidates[i]] = left_ / candidates.size() + (i < more ? 1 : 0);
        // Those that got less are the first ones next time.
        first_ = candidates[more];
        return shares;
    }

    void took(std::size_t shard, std::size_t asked, std::size_t got) {
        left_ -= got;
        short_[shard] = got < asked;
    }

    // It is not asked (any more).
    void leave_out(std::size_t shard) { short_[shard] = true; }

    std::size_t left() const noexcept { return left_; }
    std::size_t first() const noexcept { return first_; }

private:
    std::vector<bool> short_;
    std::size_t left_;
    std::size_t first_;
};

}  // namespace errand::shards
