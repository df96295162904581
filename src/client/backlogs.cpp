#include "client/backlogs.hpp"

#include "core/record.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace errand {
namespace {

// A list is read by pages from its two ends in turns, until these meet.
constexpr std::size_t largest_page = 200, smallest_page = 10;

struct end_of_list {
    bool newest_first = false;
    std::string after{};
};

// Of one list, what was looked at.
struct sample {
    task_list list;
    state where;
    std::size_t pile = 0;  // of which it is a part
    std::array<end_of_list, 2> ends{{{.newest_first = false}, {.newest_first = true}}};
    std::map<std::string, handler_backlog, std::less<>> of{};
    std::set<task_id> seen{};
    bool whole = false;
};

using counts = std::map<std::pair<state, std::string>, std::size_t>;

counts counts_of(const overview_answer& seen) {
    counts all;
    for (const auto& queue : seen.queues) {
        const auto& name = queue.queue;
        if (queue.ready > 0) all[{state::ready, name}] = queue.ready;
        if (queue.delayed > 0) all[{state::delayed, name}] = queue.delayed;
        if (queue.retry > 0) all[{state::retry, name}] = queue.retry;
        if (queue.waiting > 0) all[{state::waiting, name}] = queue.waiting;
    }
    return all;
}

// What is on the shelf belongs to no queue there, and is not counted among what a queue has.
awaitable<std::vector<sample>> lists_of(store& in, const counts& piles) {
    std::vector<sample> all;
    for (const auto where : {state::ready, state::delayed, state::retry, state::waiting}) {
        if (std::ranges::none_of(piles, [&](const auto& one) { return one.first.first == where; })) continue;
        for (auto& list : co_await in.lists(where, "")) {
            const auto at = piles.find({where, list.queue});
            if (at == piles.end()) continue;
            all.push_back({.list = std::move(list),
                           .where = where,
                           .pile = static_cast<std::size_t>(std::distance(piles.begin(), at))});
        }
    }
    co_return all;
}

awaitable<std::size_t> read_page(store& in, sample& of, end_of_list& from, std::size_t limit) {
    auto page = co_await in.list({.of = of.list,
                                  .where = of.where,
                                  .newest_first = from.newest_first,
                                  .after = from.after,
                                  .limit = limit});
    of.whole = !page.more;
    for (const auto& item : page.items) {
        if (!of.seen.insert(item.task.id).second) {
            of.whole = true;
            continue;
        }
        const auto body = decode_body(item.task.body);
        auto& one = of.of[body.handler];
        ++one.tasks;
        one.oldest = std::min(one.oldest.value_or(body.submitted_at()), body.submitted_at());
    }
    from.after = std::move(page.last);
    co_return page.items.size();
}

// Each list from both ends at least, however many there are.
awaitable<void> look_into(store& in, std::vector<sample>& lists) {
    const auto page =
        std::clamp(backlog_sample / 2 / std::max<std::size_t>(lists.size(), 1), smallest_page, largest_page);
    std::size_t looked_at = 0;
    bool left = true;
    for (std::size_t round = 0; left && (round < 2 || looked_at < backlog_sample); ++round) {
        left = false;
        for (auto& one : lists) {
            if (one.whole) continue;
            looked_at += co_await read_page(in, one, one.ends[round % 2], page);
            left |= !one.whole;
        }
    }
}

// Of a pile: how many tasks each one stands for that was seen in a list which was not read to its end.
struct weight {
    std::size_t tasks = 0, counted = 0, sampled = 0;
    double each() const {
        const auto rest = std::max(tasks - std::min(counted, tasks), sampled);
        return sampled == 0 ? 1.0 : static_cast<double>(rest) / static_cast<double>(sampled);
    }
};

}  // namespace

awaitable<backlogs> backlogs_by_handler(store& in, const overview_answer& seen) {
    const auto piles = counts_of(seen);
    auto lists = co_await lists_of(in, piles);
    co_await look_into(in, lists);
    std::vector<weight> weights;
    for (const auto& [which, tasks] : piles) weights.push_back({.tasks = tasks});
    for (const auto& one : lists) {
        auto& weight = weights[one.pile];
        (one.whole ? weight.counted : weight.sampled) += one.seen.size();
    }
    backlogs all;
    for (const auto& list : lists) {
        const auto each = list.whole ? 1.0 : weights[list.pile].each();
        all.estimated |= each > 1.0;
        for (const auto& [handler, one] : list.of) {
            auto& sum = all.of[handler];
            sum.tasks += std::llround(static_cast<double>(one.tasks) * each);
            sum.oldest = std::min(sum.oldest.value_or(*one.oldest), *one.oldest);
        }
    }
    co_return all;
}

}  // namespace errand
