#include "runtime/dependency_completion.hpp"

#include <errand/error.hpp>

#include "core/cycle_search.hpp"
#include "core/record.hpp"
#include "runtime/parent_links.hpp"
#include "runtime/pause.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <unordered_set>
#include <vector>

namespace errand {

namespace {

constexpr std::size_t asked_per_call = 100;
// From a task through what it waits for, breadth first, until it is met again or all has been seen.
class cycle_search {
public:
    cycle_search(store& in, const task_id& start) : in_{in}, start_{start}, walk_{start} {}

    // The tasks on the cycle, the first one at the front; empty when there is none.
    awaitable<std::vector<task_id>> run(std::span<const parent_task> parents) {
        if (parents.empty()) reach(start_);
        for (const auto& one : parents) {
            if (follow(start_, one.id)) co_return walk_.way_to(start_);
        }
        for (std::size_t kind = 0; !open_[0].empty() || !open_[1].empty(); kind = 1 - kind) {
            if (open_[kind].empty()) continue;
            if (const auto last = co_await look(kind)) co_return walk_.way_to(*last);
        }
        co_return std::vector<task_id>{};
    }

private:
    // Failed ones count: a task may wait for their return, and they for what it would bring about.
    static constexpr std::array kinds{link::needs, link::failed};

    // True: the cycle is closed.
    bool follow(const task_id& child, const task_id& parent) {
        const auto what = walk_.follow(child, parent);
        if (what == cycle_walk::step::reached) reach(parent);
        return what == cycle_walk::step::closes;
    }

    void reach(const task_id& id) {
        for (auto& of_kind : open_) of_kind.push_back({id, std::nullopt});
    }

    // One call. Returns the last task before the start, when that is met.
    awaitable<std::optional<task_id>> look(std::size_t kind) {
        auto& open = open_[kind];
        const auto n = std::min(open.size(), asked_per_call);
        const std::vector<links_from> asked(open.end() - static_cast<std::ptrdiff_t>(n), open.end());
        open.resize(open.size() - n);
        const auto pages = co_await in_.links(kinds[kind], asked, true);
        for (std::size_t at = 0; at < asked.size(); ++at) {
            if (at >= pages.size()) {
                open.push_back(asked[at]);
                continue;
            }
            const auto child = asked[at].of;
            for (const auto& parent : pages[at].others) {
                if (follow(child, parent)) co_return child;
            }
            if (pages[at].more) open.push_back({child, pages[at].others.back()});
        }
        co_return std::nullopt;
    }

    store& in_;
    task_id start_;
    std::array<std::vector<links_from>, 2> open_;  // of each kind
    cycle_walk walk_;
};

// Of those that close a cycle at the same moment one is enough to be refused: the one of the greatest id.
constexpr int most_tries = 200;

awaitable<bool> others_give_way(store& in, task_id id, std::vector<task_id> cycle) {
    for (const auto& other : cycle) {
        if (other <= id) continue;
        const auto found = co_await in.find(other);
        // Withdrawn since, or about to be.
        if (!found || found->registering) co_return true;
    }
    co_return false;
}

}  // namespace

awaitable<std::optional<task_id>> enrol_parents(store& in, task_id id, incarnation life,
                                                std::span<const parent_task> parents) {
    for (auto at = store::parents_per_call; at < parents.size(); at += store::parents_per_call) {
        const auto part = parents.subspan(at, std::min(store::parents_per_call, parents.size() - at));
        const auto got = co_await in.enrol(id, life, part);
        if (!got.mine) co_return std::nullopt;
        if (got.gone) co_return got.gone;
    }
    co_return std::nullopt;
}

awaitable<std::vector<task_id>> find_cycle(store& in, task_id id, std::span<const parent_task> parents) {
    cycle_search search{in, id};
    co_return co_await search.run(parents);
}

awaitable<std::optional<submit_answer>> foreseen_refusal(store& in, const submission_item& item) {
    const auto crosses = [&](const parent_task& one) { return in.shard_of(one.id) != in.shard_of(item.id); };
    const bool matters = in.shards() > 1 && has_biz_id(item.body) && std::ranges::any_of(item.after, crosses);
    if (!matters) co_return std::nullopt;
    const auto last = co_await in.find(item.id);
    if (!last || !last->finished_at) co_return std::nullopt;
    for (const auto& one : item.after) {
        if (!one.accepted || (co_await in.find(one.id)).has_value()) continue;
        co_return submit_answer{submit_verdict::gone, 0, {one.id}};
    }
    auto cycle = co_await find_cycle(in, item.id, item.after);
    if (cycle.empty()) co_return std::nullopt;
    co_return submit_answer{submit_verdict::cycle, 0, std::move(cycle)};
}

void throw_lost(const task_id& id) {
    throw store_error{"task " + to_text(id) +
                      " was not submitted: its registration took too long and was given up; submit it again"};
}

awaitable<submit_answer> complete_dependencies(store& in, task_id id, incarnation life,
                                               std::span<const parent_task> parents) {
    auto gone = co_await enrol_parents(in, id, life, parents);
    if (!gone && in.shards() > 1) {
        std::unordered_set<task_id> known;
        for (const auto& one : parents) {
            if (one.accepted) known.insert(one.id);
        }
        gone = co_await link_parents(
            in, id, [&](const task_id& one) { return known.contains(one); },
            [](const task_id&) { return false; });
    }
    if (gone) {
        co_await in.withdraw(id, life);
        co_return submit_answer{submit_verdict::gone, 0, {*gone}};
    }
    for (bool walked = false;; walked = true) {
        const auto verdict = co_await in.confirm(id, life, walked);
        if (verdict == confirm_verdict::accepted) co_return submit_answer{submit_verdict::accepted, life};
        // Whoever began to take it back may have died over it.
        if (verdict == confirm_verdict::withdrawn) co_await in.withdraw(id, life);
        if (verdict != confirm_verdict::walk) throw_lost(id);
        auto cycle = co_await find_cycle(in, id);
        for (int tries = 0; tries < most_tries && co_await others_give_way(in, id, cycle); ++tries) {
            co_await pause_for(std::chrono::milliseconds{5});
            cycle = co_await find_cycle(in, id);
        }
        if (cycle.empty()) continue;
        co_await in.withdraw(id, life);
        co_return submit_answer{submit_verdict::cycle, 0, std::move(cycle)};
    }
}

}  // namespace errand
