// Figures of handlers, over several shards: in one of them.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <iterator>

namespace errand {
namespace {

task_id place_of_figures() { return derive_task_id("figures", "errand.figures"); }

}  // namespace

awaitable<void> sharded_store::add_figures(std::span<const handler_count> counts) {
    return owner(place_of_figures()).add_figures(counts);
}

// While their shard is away there are none: who looks at something else beside them is not to wait.
awaitable<figures_answer> sharded_store::figures() {
    auto answers = co_await those_there<figures_answer>([](store& in) { return in.figures(); });
    figures_answer all{.now = now()};
    for (auto& one : answers) {
        if (one) std::ranges::move(one->counts, std::back_inserter(all.counts));
    }
    co_return all;
}

}  // namespace errand
