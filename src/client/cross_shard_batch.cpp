#include "client/cross_shard_batch.hpp"

#include <errand/error.hpp>

#include "core/cycle_search.hpp"
#include "runtime/dependency_completion.hpp"
#include "runtime/parent_links.hpp"
#include "runtime/pause.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

namespace errand {

namespace {

// How long a batch waits in all for what is told of how tasks ended, which workers do at once, and how often it is asked.
constexpr std::chrono::seconds patience_with_news{2};
constexpr std::chrono::milliseconds between_asks{5};

bool stands(submit_verdict verdict) {
    using enum submit_verdict;
    return verdict == accepted || verdict == registering || verdict == duplicate || verdict == replaced;
}

class cross_shard_batch {
public:
    cross_shard_batch(loop& there, std::vector<submission_item> items)
        : there_{there}, in_{there.tasks()}, items_{std::move(items)}, answers_(items_.size()) {
        for (std::size_t at = 0; at < items_.size(); ++at) {
            batch_.insert(items_[at].id);
            (items_[at].waits() ? waiting_ : rest_).push_back(at);
        }
        for (const auto at : rest_) starts_.insert(items_[at].id);
    }

    awaitable<submitter::group_answer> run(submit_mode mode) {
        if (co_await is_refused() || mode == submit_mode::ask) co_return answer();
        bool refused = !co_await send(waiting_);
        if (!refused) refused = co_await cannot_wait();
        if (!refused && !rest_.empty()) refused = !co_await send(rest_);
        if (refused) {
            co_await take_back();
        } else {
            co_await accept();
        }
        co_return answer();
    }

private:
    // Nothing is written yet.
    awaitable<bool> is_refused() {
        const auto cycles = cycles_among(items_);
        const auto none = [](const auto& ids) { return ids.empty(); };
        if (!std::ranges::all_of(cycles, none)) {
            for (std::size_t at = 0; at < items_.size(); ++at) {
                answers_[at] = {cycles[at].empty() ? submit_verdict::withheld : submit_verdict::cycle, 0,
                                cycles[at]};
            }
            co_return true;
        }
        for (std::size_t at = 0; at < items_.size(); ++at) {
            auto refused = co_await foreseen_refusal(in_, items_[at]);
            if (!refused) continue;
            for (auto& one : answers_) one = {submit_verdict::withheld};
            answers_[at] = std::move(*refused);
            co_return true;
        }
        auto asked = co_await there_.submissions().submit_group(items_, submit_mode::ask);
        if (!asked.failures.empty()) std::rethrow_exception(asked.failures.front());
        answers_ = std::move(asked.answers);
        co_return !std::ranges::all_of(answers_, stands, &submit_answer::verdict);
    }

    awaitable<bool> send(const std::vector<std::size_t>& indexes) {
        std::vector<submission_item> some;
        for (const auto at : indexes) {
            some.push_back(items_[at]);
            auto& one = some.back();
            one.incomplete = one.waits();
            for (auto& parent : one.after) {
                // Kept by the same shard, but not in this call.
                if (starts_.contains(parent.id)) parent.where = parent_task::location::later;
            }
        }
        auto got = co_await there_.submissions().submit_group(std::move(some), submit_mode::all_or_nothing);
        if (!got.failures.empty()) std::rethrow_exception(got.failures.front());
        bool all = true;
        for (std::size_t i = 0; i < indexes.size(); ++i) {
            answers_[indexes[i]] = got.answers[i];
            if (got.answers[i].verdict == submit_verdict::registering) registering_.push_back(indexes[i]);
            all = all && stands(got.answers[i].verdict);
        }
        co_return all;
    }

    // A task, and parents of other shards.
    struct family {
        task_id child;
        std::vector<task_id> parents;
    };

    // The parents of this batch that other shards keep: those that start with it, or those that wait.
    family relatives(const submission_item& one, bool that_start) const {
        family found{.child = one.id, .parents = {}};
        for (const auto& parent : one.after) {
            if (batch_.contains(parent.id) && starts_.contains(parent.id) == that_start &&
                in_.shard_of(parent.id) != in_.shard_of(one.id))
                found.parents.push_back(parent.id);
        }
        return found;
    }

    // Registers those that wait. True when one of them cannot, and its answer says why.
    awaitable<bool> cannot_wait() {
        std::vector<family> to_begin;
        for (const auto at : registering_) to_begin.push_back(relatives(items_[at], true));
        co_await begin_with(std::move(to_begin));
        for (const auto at : registering_) {
            auto& one = items_[at];
            std::unordered_set<task_id> known;
            bool outside = false;
            for (const auto& parent : one.after) {
                if (parent.accepted) known.insert(parent.id);
                outside = outside || !batch_.contains(parent.id);
            }
            auto begun = relatives(one, false);
            co_await look_at(one.id, std::move(begun.parents));
            auto gone = co_await enrol_parents(in_, one.id, incarnation_of(one.body), one.after);
            if (!gone && outside) {
                gone = co_await link_parents(
                    in_, one.id, [&](const task_id& id) { return known.contains(id); },
                    [&](const task_id& id) { return batch_.contains(id); });
            }
            if (!gone) continue;
            answers_[at] = {submit_verdict::gone, 0, {*gone}};
            co_return true;
        }
        co_return co_await close_cycles();
    }

    // The parents are yet to begin. What is told of an earlier life of theirs is told first; not waited for for ever, as there may
    // be no worker that tells it.
    awaitable<void> begin_with(std::vector<family> all) {
        for (;;) {
            std::unordered_set<task_id> told;
            for (auto& one : all) {
                auto rest = co_await note(one, told);
                one.parents = std::move(rest);
            }
            std::erase_if(all, [](const family& one) { return one.parents.empty(); });
            if (all.empty()) co_return;
            const auto now = std::chrono::steady_clock::now();
            if (!until_) until_ = now + patience_with_news;
            if (now >= *until_) break;
            co_await pause_for(between_asks);
        }
        for (const auto& one : all) doubtful_.insert(one.child);
    }

    // Gives those of which the last end is being told. `told`: these are not asked about once more. With one whose last life has
    // not ended it is registered when the next has begun.
    awaitable<std::vector<task_id>> note(const family& of, std::unordered_set<task_id>& told) {
        std::vector<task_id> asked, again;
        for (const auto& parent : of.parents) (told.contains(parent) ? again : asked).push_back(parent);
        for (std::size_t from = 0; from < asked.size(); from += store::parents_per_call) {
            const auto some = part_of(asked, from);
            const auto how = co_await in_.depend(of.child, depend_mode::note, some);
            for (std::size_t at = 0; at < some.size(); ++at) {
                if (how[at] == standing::told) {
                    told.insert(some[at]);
                    again.push_back(some[at]);
                } else if (how[at] == standing::absent) {
                    doubtful_.insert(of.child);
                    met_.push_back({.child = of.child, .parents = {some[at]}});
                }
            }
        }
        co_return again;
    }

    // Of those that had not ended, and have begun anew after all, the end that came between may be being told.
    awaitable<void> outlive(const std::unordered_set<task_id>& held) {
        auto all = std::exchange(met_, {});
        std::erase_if(all, [&](const family& one) { return held.contains(one.parents.front()); });
        co_await begin_with(std::move(all));
    }

    awaitable<void> look_at(task_id child, std::vector<task_id> parents) {
        for (std::size_t from = 0; from < parents.size(); from += store::parents_per_call) {
            const auto how = co_await in_.depend(child, depend_mode::look, part_of(parents, from));
            if (!std::ranges::all_of(how, [](standing one) { return one == standing::open; }))
                doubtful_.insert(child);
        }
    }

    static std::span<const task_id> part_of(const std::vector<task_id>& all, std::size_t from) {
        const auto rest = std::span{all}.subspan(from);
        return rest.first(std::min(rest.size(), store::parents_per_call));
    }

    // Only a task that others wait for can close a cycle with tasks outside of the batch.
    awaitable<bool> close_cycles() {
        std::vector<links_from> asked;
        for (const auto at : registering_) asked.push_back({items_[at].id});
        const auto pages =
            asked.empty() ? std::vector<links_page>{} : co_await in_.links(link::tells, asked, false);
        for (std::size_t i = 0; i < registering_.size(); ++i) {
            const auto inside = [&](const task_id& id) { return batch_.contains(id); };
            const auto* page = i < pages.size() ? &pages[i] : nullptr;
            if (page && !page->more && std::ranges::all_of(page->others, inside)) continue;
            auto cycle = co_await find_cycle(in_, items_[registering_[i]].id);
            if (cycle.empty()) continue;
            answers_[registering_[i]] = {submit_verdict::cycle, 0, std::move(cycle)};
            co_return true;
        }
        co_return false;
    }

    awaitable<void> accept() {
        std::unordered_set<task_id> held;
        for (std::size_t at = 0; at < items_.size(); ++at) {
            if (answers_[at].verdict == submit_verdict::duplicate) held.insert(items_[at].id);
        }
        co_await outlive(held);
        for (const auto at : registering_) {
            const auto& one = items_[at];
            const auto is_held = [&](const parent_task& parent) { return held.contains(parent.id); };
            // What did not begin with this submission may have ended before, and with what did it may not be registered.
            if (std::ranges::any_of(one.after, is_held) || doubtful_.contains(one.id)) {
                const auto no = [](const task_id&) { return false; };
                co_await link_parents(in_, one.id, no, no);
            }
            const auto life = incarnation_of(one.body);
            if (co_await in_.confirm(one.id, life, true) != confirm_verdict::accepted) throw_lost(one.id);
            answers_[at] = {submit_verdict::accepted, life};
        }
    }

    awaitable<void> take_back() {
        for (const auto at : registering_)
            co_await in_.withdraw(items_[at].id, incarnation_of(items_[at].body));
        for (auto& one : answers_) {
            if (stands(one.verdict)) one = {submit_verdict::withheld};
        }
    }

    submitter::group_answer answer() {
        return {.answers = std::move(answers_), .failures = {}, .items = std::move(items_)};
    }

    loop& there_;
    store& in_;
    std::vector<submission_item> items_;
    std::vector<submit_answer> answers_;
    std::vector<std::size_t> waiting_, rest_;  // indexes
    std::vector<std::size_t> registering_;
    std::unordered_set<task_id> batch_, starts_;  // all, and those of `rest_`
    std::unordered_set<task_id> doubtful_;        // may have missed an end of a parent
    std::vector<family> met_;                     // with parents whose last life had not ended
    std::optional<std::chrono::steady_clock::time_point> until_;  // what is told is waited for
};

}  // namespace

bool crosses_shards(const store& in, std::span<const submission_item> items) {
    if (in.shards() == 1) return false;
    return std::ranges::any_of(items, [&](const submission_item& one) {
        return std::ranges::any_of(one.after, [&](const parent_task& parent) {
            return in.shard_of(parent.id) != in.shard_of(one.id);
        });
    });
}

std::vector<std::vector<task_id>> cycles_among(std::span<const submission_item> items) {
    added_tasks added;
    for (const auto& item : items) {
        std::vector<task_id> parents;
        for (const auto& parent : item.after) parents.push_back(parent.id);
        added.add(item.id, std::move(parents));
    }
    auto cycles = added.cycles();
    std::vector<std::vector<task_id>> found(items.size());
    for (std::size_t at = 0; at < items.size(); ++at) {
        // Of equal ids the first one.
        if (auto known = cycles.extract(items[at].id)) found[at] = std::move(known.mapped());
    }
    return found;
}

awaitable<submitter::group_answer> submit_over_shards(loop& there, std::vector<submission_item> items,
                                                      submit_mode mode) {
    cross_shard_batch batch{there, std::move(items)};
    co_return co_await batch.run(mode);
}

}  // namespace errand
