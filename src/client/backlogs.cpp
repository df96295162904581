#include "client/backlogs.hpp"

#include <errand/error.hpp>

#include "core/record.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace errand {
namespace {

// A list is read by pages from its two ends in turns.
constexpr std::size_t largest_sample_page = 200, smallest_sample_page = 10;
constexpr std::size_t most_lists_sampled = 300, most_bytes_sampled = 8'000'000;

struct end_of_list {
    bool newest_first = false;
    bool over = false;  // nothing new comes from there: it has met the other, or what moves hides the rest
    std::string after{};
};

// Of one list, what was looked at.
struct list_sample {
    task_list list;
    state where;
    std::size_t pile = 0;  // of which it is a part
    std::array<end_of_list, 2> ends{{{.newest_first = false}, {.newest_first = true}}};
    std::map<std::string, handler_backlog, std::less<>> of{};
    std::set<task_id> seen{};
    bool complete = false;  // read from one end to the other
    bool lacking = false;   // something of it could not be read

    bool over() const { return complete || (ends[0].over && ends[1].over); }
};

// Tasks of one queue in one state.
struct pile {
    state where;
    std::string queue;
    std::size_t tasks = 0;
};

// The largest first.
std::vector<pile> piles_of(const overview_answer& seen) {
    std::vector<pile> all;
    for (const auto& queue : seen.queues) {
        if (queue.ready > 0) all.push_back({state::ready, queue.queue, queue.ready});
        if (queue.delayed > 0) all.push_back({state::delayed, queue.queue, queue.delayed});
        if (queue.retry > 0) all.push_back({state::retry, queue.queue, queue.retry});
        if (queue.waiting > 0) all.push_back({state::waiting, queue.queue, queue.waiting});
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &pile::tasks);
    return all;
}

// What is on the shelf belongs to no queue there, and is not counted among what a queue has.
awaitable<std::vector<list_sample>> lists_to_sample(store& in, const std::vector<pile>& piles) {
    std::map<std::pair<state, std::string>, std::size_t> numbers;
    for (std::size_t i = 0; i < piles.size(); ++i) numbers[{piles[i].where, piles[i].queue}] = i;
    std::vector<list_sample> all;
    for (const auto where : {state::ready, state::delayed, state::retry, state::waiting}) {
        if (std::ranges::none_of(piles, [&](const pile& one) { return one.where == where; })) continue;
        for (auto& list : co_await in.lists(where, "")) {
            const auto at = numbers.find({where, list.queue});
            if (at != numbers.end())
                all.push_back({.list = std::move(list), .where = where, .pile = at->second});
        }
    }
    std::ranges::stable_sort(all, {}, &list_sample::pile);
    co_return all;
}

void note_sampled(list_sample& of, const found_task& task) {
    try {
        const auto body = decode_body(task.body);
        auto& one = of.of[body.handler];
        ++one.tasks;
        one.oldest = std::min(one.oldest.value_or(body.submitted_at()), body.submitted_at());
    } catch (const bad_data&) {
        of.lacking = true;  // of a later version of errand, say
    }
}

// Returns the bytes that were read. A shard that goes away meanwhile takes its list along.
awaitable<std::size_t> read_sample_page(store& in, list_sample& of, end_of_list& from, std::size_t limit) {
    list_answer page;
    try {
        page = co_await in.list({.of = of.list,
                                 .where = of.where,
                                 .newest_first = from.newest_first,
                                 .after = from.after,
                                 .limit = limit});
    } catch (const store_error&) {
        of.lacking = true;
        of.ends[0].over = of.ends[1].over = true;
        co_return 0;
    }
    of.complete = !page.more;
    from.over = true;
    std::size_t bytes = 0;
    for (const auto& item : page.items) {
        bytes += item.task.body.size() + item.task.notes.size();
        // A list may give one again when it moves meanwhile, or has entries that are void.
        if (!of.seen.insert(item.task.id).second) continue;
        from.over = false;
        note_sampled(of, item.task);
    }
    from.after = std::move(page.last);
    co_return bytes;
}

// Each list from both ends at least.
awaitable<void> sample_lists(store& in, std::span<list_sample> lists) {
    const auto page = std::clamp(backlog_sample / 2 / std::max<std::size_t>(lists.size(), 1),
                                 smallest_sample_page, largest_sample_page);
    std::size_t asked = 0, bytes = 0;
    bool left = true;
    for (std::size_t round = 0; left && (round < 2 || asked < backlog_sample); ++round) {
        left = false;
        for (auto& one : lists) {
            if (one.over() || bytes > most_bytes_sampled) continue;
            auto& end = one.ends[one.ends[round % 2].over ? 1 - round % 2 : round % 2];
            asked += page;
            bytes += co_await read_sample_page(in, one, end, page);
            left |= !one.over();
        }
    }
}

// Of a queue and state of which a list was not read at all, the others stand for that one too.
void count_as_parts(std::span<list_sample> lists, std::size_t read) {
    std::set<std::size_t> cut;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const auto& one = lists[i];
        if (i >= read || one.lacking || (!one.complete && one.seen.empty())) cut.insert(one.pile);
    }
    for (auto& one : lists) {
        if (cut.contains(one.pile)) one.complete = false;
    }
}

// Of a pile: how many tasks each one stands for that was seen in a list which was not read to its end.
struct pile_weight {
    std::size_t tasks = 0, counted = 0, sampled = 0;
    double each() const {
        const auto rest = std::max(tasks - std::min(counted, tasks), sampled);
        return sampled == 0 ? 1.0 : static_cast<double>(rest) / static_cast<double>(sampled);
    }
};

}  // namespace

awaitable<backlogs> backlogs_by_handler(store& in, const overview_answer& seen) {
    const auto piles = piles_of(seen);
    auto all_lists = co_await lists_to_sample(in, piles);
    const auto lists = std::span{all_lists}.first(std::min(all_lists.size(), most_lists_sampled));
    co_await sample_lists(in, lists);
    count_as_parts(all_lists, lists.size());
    std::vector<pile_weight> weights;
    for (const auto& one : piles) weights.push_back({.tasks = one.tasks});
    for (const auto& one : lists) {
        auto& weight = weights[one.pile];
        (one.complete ? weight.counted : weight.sampled) += one.seen.size();
    }
    backlogs all;
    all.estimated =
        lists.size() < all_lists.size() ||
        std::ranges::any_of(weights, [](const pile_weight& one) { return one.counted + one.sampled == 0; });
    for (const auto& list : lists) {
        const auto each = list.complete ? 1.0 : weights[list.pile].each();
        all.estimated |= list.lacking || each > 1.0 || (!list.complete && list.seen.empty());
        for (const auto& [handler, one] : list.of) {
            auto& sum = all.of[handler];
            sum.tasks += std::llround(static_cast<double>(one.tasks) * each);
            sum.oldest = std::min(sum.oldest.value_or(*one.oldest), *one.oldest);
        }
    }
    co_return all;
}

}  // namespace errand
