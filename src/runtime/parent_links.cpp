#include "runtime/parent_links.hpp"

#include <errand/error.hpp>
#include <errand/policy.hpp>

#include "core/record.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

namespace errand {

namespace {

bool never(const task_id&) { return false; }

// What a task that has such an edge is still to be told; nullopt: nothing.
std::optional<tidings> untold(link kind, standing how) {
    const bool needs = kind == link::needs;
    switch (how) {
    case standing::success: return tidings::success;
    case standing::dead: return needs ? std::optional{tidings::dead} : std::nullopt;
    case standing::cancelled: return needs ? std::optional{tidings::cancelled} : std::nullopt;
    case standing::expired: return needs ? std::optional{tidings::expired} : std::nullopt;
    case standing::open: return needs ? std::nullopt : std::optional{tidings::revived};
    case standing::absent:
    case standing::told: return std::nullopt;
    }
    return std::nullopt;
}

// Looks at the parents of one kind of edges; adds those that are not there.
awaitable<void> look(store& in, task_id child, link kind, std::vector<task_id> parents,
                     std::vector<task_id>& absent) {
    for (std::size_t from = 0; from < parents.size(); from += store::parents_per_call) {
        const auto part = std::span{parents}.subspan(from);
        const auto some = part.first(std::min(part.size(), store::parents_per_call));
        const auto how = co_await in.depend(child, depend_mode::look, some);
        std::vector<resolution> told;
        for (std::size_t at = 0; at < some.size(); ++at) {
            if (kind == link::needs && how[at] == standing::absent) absent.push_back(some[at]);
            if (const auto what = untold(kind, how[at]))
                told.push_back({.parent = some[at], .what = *what, .cancelled = {}, .children = {child}});
        }
        if (told.empty()) continue;
        const auto again = co_await in.resolve(told, group_outcome());
        std::vector<task_id> done;
        for (std::size_t at = 0; at < told.size(); ++at) {
            if (again[at].empty() && told[at].what != tidings::success) done.push_back(told[at].parent);
        }
        if (!done.empty()) co_await in.depend(child, depend_mode::forget, done);
    }
}

}  // namespace

std::string group_outcome() {
    task_outcome outcome;
    outcome.ended_as = state::success;
    outcome.retention = policy{}.retention;
    outcome.attempts = 1;
    outcome.result = group_result_mark;
    return encode(outcome);
}

awaitable<std::vector<task_id>> linked_to(store& in, link kind, task_id of) {
    std::vector<task_id> all;
    links_from from{of};
    for (bool more = true; more;) {
        auto pages = co_await in.links(kind, {&from, 1}, false);
        auto& page = pages.at(0);
        std::ranges::copy(page.others, std::back_inserter(all));
        more = page.more && !page.others.empty();
        if (more) from.after = page.others.back();
    }
    co_return all;
}

awaitable<std::optional<task_id>> link_parents(store& in, task_id child, parent_test accepted,
                                               parent_test skipped) {
    for (;;) {
        std::vector<task_id> absent;
        for (const auto kind : {link::needs, link::failed}) {
            auto parents = co_await linked_to(in, kind, child);
            std::erase_if(parents, skipped);
            co_await look(in, child, kind, std::move(parents), absent);
        }
        if (absent.empty()) co_return std::nullopt;
        // One that is not there and was told of is needed no longer; the look has written down that it is.
        const auto needed = co_await linked_to(in, link::needs, child);
        std::vector<task_id> told;
        std::optional<task_id> gone;
        for (const auto& one : absent) {
            if (std::ranges::find(needed, one) == needed.end()) {
                told.push_back(one);
            } else if (!gone && accepted(one)) {
                gone = one;
            }
        }
        if (told.empty()) co_return gone;
        co_await in.depend(child, depend_mode::forget, told);
    }
}

awaitable<void> unlink_parents(store& in, task_id child, std::vector<task_id> parents) {
    co_await in.depend(child, depend_mode::forget, parents);
    co_await link_parents(in, child, never, never);
}

namespace {

// Those of them that others are to hear of, and that wait: only these were taken up.
awaitable<std::vector<task_id>> waiting_parents(store& in, std::span<const task_id> tasks) {
    std::vector<links_from> from;
    for (const auto& id : tasks) from.push_back({id});
    std::vector<task_id> found;
    while (!from.empty()) {
        const auto pages = co_await in.links(link::tells, from, true);
        for (std::size_t at = 0; at < pages.size(); ++at) {
            if (pages[at].others.empty()) continue;
            const auto task = co_await in.find(from[at].of);
            if (task && task->where == state::waiting) found.push_back(from[at].of);
        }
        from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(pages.size()));
    }
    co_return found;
}

}  // namespace

awaitable<void> revive_dependents(store& in, task_id revived) {
    std::vector<task_id> parents{revived};
    std::unordered_set<task_id> seen{revived};
    const auto gathered = group_outcome();
    while (!parents.empty()) {
        const auto parent = parents.back();
        parents.pop_back();
        links_from from{parent};
        for (bool more = true; more;) {
            const auto pages = co_await in.links(link::tells, {&from, 1}, false);
            std::span<const task_id> children{pages.at(0).others};
            more = pages.at(0).more && !children.empty();
            if (more) from.after = children.back();
            while (!children.empty()) {
                const auto some = children.first(std::min(children.size(), store::heirs_per_call));
                children = children.subspan(some.size());
                const resolution told{.parent = parent,
                                      .what = tidings::revived,
                                      .cancelled = {},
                                      .children = {some.begin(), some.end()}};
                co_await in.resolve({&told, 1}, gathered);
                for (const auto& id : co_await waiting_parents(in, some)) {
                    if (seen.insert(id).second) parents.push_back(id);
                }
            }
        }
    }
}

awaitable<bool> revive_dependents_there(store& in, task_id revived) {
    try {
        co_await revive_dependents(in, revived);
        co_return true;
    } catch (const store_error&) {
        if (in.shards() == 1) throw;
    }
    co_return false;
}

}  // namespace errand
