// Who waits at limits, in all shards that answer.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

namespace errand {
namespace {

using all_waiters = std::vector<gate_waiters>;

awaitable<all_waiters> waiters_in(store& in, std::shared_ptr<const std::string> name, std::size_t most) {
    co_return co_await in.waiting_at(*name, most);
}

}  // namespace

awaitable<std::vector<gate_waiters>> sharded_store::waiting_at(std::string name, std::size_t most) {
    const auto asked = std::make_shared<const std::string>(std::move(name));
    auto answers =
        co_await those_there<all_waiters>([asked, most](store& in) { return waiters_in(in, asked, most); });
    all_waiters all;
    for (auto& answer : answers) {
        if (answer) std::ranges::move(*answer, std::back_inserter(all));
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &gate_waiters::waiting);
    if (all.size() > most) all.resize(most);
    co_return all;
}

}  // namespace errand
