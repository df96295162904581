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

}  // namespace errand
