// submit over several shards.
#include "core/record.hpp"
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <iterator>

namespace errand {
namespace {

using part = shards::part<submission_item>;

// Whether something else than a failure can keep it from being accepted.
bool may_be_refused(const submission_item& item) {
    return item.conflict != on_conflict::keep || item.waits() || has_biz_id(item.body);
}

bool refuses(const submit_answer& one) {
    using enum submit_verdict;
    return one.verdict == rejected || one.verdict == cycle || one.verdict == gone || one.verdict == busy ||
           one.verdict == withheld;
}

void place_answers(std::vector<submit_answer>& to, const part& of, std::vector<submit_answer> answers) {
    for (std::size_t at = 0; at < answers.size(); ++at) to[of.indexes[at]] = std::move(answers[at]);
}

}  // namespace

// Says of each parent whether this shard can look at it. An item with others is accepted in more than one step.
part sharded_store::placed(part one) const {
    for (auto& item : one.items) {
        for (auto& parent : item.after) {
            if (shard_of(parent.id) == one.shard) continue;
            parent.where = parent_task::location::elsewhere;
            item.incomplete = true;
        }
    }
    return one;
}

awaitable<std::vector<submit_answer>> sharded_store::submit(std::size_t lane,
                                                            std::span<const submission_item> items,
                                                            submit_mode mode) {
    if (items.empty()) co_return std::vector<submit_answer>{};
    const auto first = shard_of(items.front().id);
    const auto simple = [&](const submission_item& one) {
        return one.after.empty() && shard_of(one.id) == first;
    };
    if (std::ranges::all_of(items, simple)) co_return co_await shards_[first]->submit(lane, items, mode);
    auto parts = by_shard(items, &submission_item::id);
    for (auto& one : parts) one = placed(std::move(one));
    if (mode != submit_mode::each && parts.size() > 1)
        co_return co_await submit_all(lane, items.size(), std::move(parts), mode);
    auto answers = co_await shards::answers_to(parts, [&](const auto& one) {
        return shards_[one.shard]->submit(lane, one.items, mode);
    });
    co_return shards::in_order(parts, std::move(answers), items.size());
}

awaitable<void> sharded_store::forget(std::span<const delivered_task> tasks) {
    const auto parts = by_shard(tasks, &delivered_task::id);
    co_await shards::answers_to(parts, [&](const auto& one) {
        return shards::done(shards_[one.shard]->forget(one.items));
    });
}

bool sharded_store::is_late(std::size_t shard) const {
    const auto& since = batches_.at(shard);
    return !since.empty() && std::chrono::steady_clock::now() - *since.begin() > shards::patience_with_one;
}

awaitable<std::vector<submit_answer>> sharded_store::submit_part(std::size_t lane, const part& of,
                                                                 submit_mode mode) {
    auto& since = batches_.at(of.shard);
    struct on_its_way {
        std::multiset<std::chrono::steady_clock::time_point>& in;
        std::multiset<std::chrono::steady_clock::time_point>::iterator at;
        ~on_its_way() { in.erase(at); }
    } const guard{since, since.insert(std::chrono::steady_clock::now())};
    co_return co_await shards_[of.shard]->submit(lane, of.items, mode);
}

// A refusal that is known beforehand refuses everything. Shards that may refuse are written one after the other, before
// those that cannot: with one of them it is all or nothing, with more it is as long as nobody else submits the same ids
// between the question and the call.
awaitable<std::vector<submit_answer>> sharded_store::submit_all(std::size_t lane, std::size_t count,
                                                                std::vector<part> parts, submit_mode mode) {
    const auto certain = std::ranges::partition(parts, [](const part& one) {
        return std::ranges::any_of(one.items, may_be_refused);
    });
    const auto uncertain = parts.size() - certain.size();
    std::vector<submit_answer> all(count, submit_answer{submit_verdict::withheld});
    if (uncertain > 1 || mode == submit_mode::ask) {
        auto answers = co_await shards::answers_to(parts, [&](const part& one) {
            return submit_part(lane, one, submit_mode::ask);
        });
        const bool refused =
            std::ranges::any_of(answers, [](const auto& of) { return std::ranges::any_of(of, refuses); });
        for (std::size_t at = 0; at < parts.size(); ++at) {
            // Of a batch that is refused only what refuses it matters.
            if (!refused || std::ranges::any_of(answers[at], refuses))
                place_answers(all, parts[at], std::move(answers[at]));
        }
        if (refused || mode == submit_mode::ask) co_return all;
    }
    for (std::size_t at = 0; at < uncertain; ++at) {
        auto answers = co_await submit_part(lane, parts[at], mode);
        const bool refused = std::ranges::any_of(answers, refuses);
        place_answers(all, parts[at], std::move(answers));
        if (refused) co_return all;
    }
    auto answers =
        co_await shards::answers_to(certain, [&](const part& one) { return submit_part(lane, one, mode); });
    for (std::size_t at = 0; at < answers.size(); ++at)
        place_answers(all, parts[uncertain + at], std::move(answers[at]));
    co_return all;
}

}  // namespace errand
