// Limits over several shards: what they limit stands in the first one, so that one counts.
#include "store/shards/sharded_store.hpp"

#include <utility>

namespace errand {

awaitable<void> sharded_store::declare_limits(std::span<const named_limit> limits) {
    return shards_.front()->declare_limits(limits);
}

awaitable<void> sharded_store::set_limit(const std::string& name, std::optional<limit_rule> rule) {
    return shards_.front()->set_limit(name, std::move(rule));
}

awaitable<std::vector<limit_state>> sharded_store::limits() { return shards_.front()->limits(); }

// What has gates stands in the first one as well; the ids say so.
awaitable<std::vector<yield_verdict>> sharded_store::yield_gates(std::span<const yield_wish> wishes) {
    std::vector<yield_verdict> got(wishes.size(), yield_verdict::lost);
    for (std::size_t shard = 0; shard < shards(); ++shard) {
        std::vector<yield_wish> theirs;
        std::vector<std::size_t> at;
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            if (shard_of(wishes[i].id) != shard) continue;
            at.push_back(i);
            theirs.push_back(wishes[i]);
            theirs.back().claim = shards::inner_claim(wishes[i].claim, shards());
        }
        if (theirs.empty()) continue;
        const auto answers = co_await shards_[shard]->yield_gates(theirs);
        for (std::size_t i = 0; i < at.size(); ++i) got[at[i]] = answers.at(i);
    }
    co_return got;
}

}  // namespace errand
