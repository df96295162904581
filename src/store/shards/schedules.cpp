// Schedules over several shards: each stands in the shard of its runs.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

namespace errand {

awaitable<schedules_answer> sharded_store::due_schedules(std::size_t limit) {
    auto answers = co_await schedules_.ask([&](std::size_t at) { return shards_[at]->due_schedules(limit); });
    schedules_answer got{.schedules = {}, .next = {}, .now = now()};
    for (auto& one : answers) {
        if (!one) continue;
        for (auto& kept : one->schedules) {
            kept.now = one->now;
            got.schedules.push_back(std::move(kept));
        }
        earlier(got.next, one->next, one->now);
    }
    co_return got;
}

awaitable<schedules_answer> sharded_store::find_schedules(std::span<const task_id> ids) {
    const auto parts = by_shard(ids);
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return shards_[one.shard]->find_schedules(one.items);
    });
    schedules_answer got{.schedules = std::vector<kept_schedule>(ids.size()), .next = {}, .now = now()};
    for (std::size_t at = 0; at < parts.size(); ++at) {
        for (std::size_t i = 0; i < answers[at].schedules.size(); ++i) {
            auto& kept = got.schedules[parts[at].indexes[i]] = std::move(answers[at].schedules[i]);
            kept.now = answers[at].now;
        }
    }
    co_return got;
}

awaitable<std::vector<step_verdict>> sharded_store::step_schedules(std::span<const schedule_step> steps) {
    const auto parts = by_shard(steps, &schedule_step::id);
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return shards_[one.shard]->step_schedules(one.items);
    });
    co_return shards::in_order(parts, std::move(answers), steps.size(), step_verdict::stale);
}

// A page of each, of which the first are a page of all. Where the page of one ends early, nobody knows what comes behind it.
awaitable<schedule_list> sharded_store::list_schedules(std::string after, std::size_t limit) {
    auto answers = co_await those_there<schedule_list>([after, limit](store& in) {
        return in.list_schedules(after, limit);
    });
    schedule_list all;
    std::optional<std::string> known_to;
    for (auto& one : answers) {
        if (!one) continue;
        if (one->more && !one->names.empty() && (!known_to || one->names.back() < *known_to))
            known_to = one->names.back();
        std::ranges::move(one->schedules, std::back_inserter(all.schedules));
        std::ranges::move(one->names, std::back_inserter(all.names));
        all.more = all.more || one->more;
    }
    std::vector<std::size_t> order(all.names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t at) -> const std::string& { return all.names[at]; });
    if (known_to) std::erase_if(order, [&](std::size_t at) { return all.names[at] > *known_to; });
    all.more = all.more || order.size() > limit;
    order.resize(std::min(order.size(), limit));
    schedule_list page{.schedules = {}, .names = {}, .more = all.more};
    for (const auto at : order) {
        page.schedules.push_back(std::move(all.schedules[at]));
        page.names.push_back(std::move(all.names[at]));
    }
    co_return page;
}

}  // namespace errand
