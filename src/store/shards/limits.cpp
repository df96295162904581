// Limits over several shards: each of them knows all, and counts its own.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <map>

namespace errand {

awaitable<void> sharded_store::declare_limits(std::span<const named_limit> limits) {
    co_await everywhere<bool>([limits](store& in) { return shards::done(in.declare_limits(limits)); });
}

awaitable<void> sharded_store::set_limit(const std::string& name, std::optional<limit_rule> rule) {
    co_await change_everywhere("set_limit", [name, rule](store& in) -> awaitable<bool> {
        co_await in.set_limit(name, rule);
        co_return true;
    });
}

awaitable<std::vector<limit_state>> sharded_store::limits() {
    auto answers = co_await those_there<std::vector<limit_state>>([](store& in) { return in.limits(); });
    std::map<std::string, limit_state> all;
    for (auto& shard : answers) {
        if (!shard) continue;
        for (auto& one : *shard) {
            auto& sum = all.try_emplace(one.name, limit_state{.name = one.name}).first->second;
            if (!sum.declared) sum.declared = std::move(one.declared);
            if (!sum.set) sum.set = std::move(one.set);
            sum.running += one.running;
            sum.waiting += one.waiting;
            if (one.opens_at) sum.opens_at = std::min(sum.opens_at.value_or(*one.opens_at), *one.opens_at);
        }
    }
    std::vector<limit_state> list;
    for (auto& [name, one] : all) list.push_back(std::move(one));
    co_return list;
}

}  // namespace errand
