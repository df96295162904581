#include "client/group_results.hpp"

#include <errand/error.hpp>

#include "runtime/app_core.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace errand {

namespace {

constexpr std::size_t members_per_call = 500;

[[noreturn]] void throw_gone(const task_id& group, const task_id& member) {
    throw result_gone{"the result of task " + to_text(member) + " of group " + to_text(group) +
                      " is no longer kept: its retention is over"};
}

awaitable<std::vector<std::string>> results_of(loop& there, task_id group, std::span<const task_id> members) {
    std::vector<watched_task> asked;
    for (const auto& id : members) asked.push_back({id, 0});
    const auto got = co_await there.tasks().watch(asked);
    std::unordered_map<task_id, std::string> known;
    for (const auto& one : got.ended) {
        auto outcome = decode_outcome(one.outcome);
        if (outcome.ended_as != state::success || is_remnant(outcome)) throw_gone(group, one.id);
        if (read_sealed(outcome.result))
            need_open(there.app().seals(), outcome.result, "the result of task " + to_text(one.id) + " is");
        known[one.id] = std::move(outcome.result);
    }
    std::vector<std::string> results;
    for (const auto& id : members) {
        const auto at = known.find(id);
        if (at == known.end()) throw_gone(group, id);
        results.push_back(co_await whole_result(there, id, at->second));
    }
    co_return results;
}

// How many of the tasks that a group depends on are no members.
std::size_t others_of(const task_body& group) { return group.args == "[1]" ? 1 : 0; }

}  // namespace

awaitable<std::string> whole_result(loop& there, task_id of, std::string result) {
    if (result != group_result_mark) co_return result;
    const auto found = co_await there.tasks().find(of);
    if (!found) throw_gone(of, of);
    const auto body = decode_body(found->body);
    if (body.rule != on_failed::gather) co_return result;
    std::string all;
    const std::span members{body.after};
    for (auto at = others_of(body); at < members.size(); at += members_per_call) {
        const auto part = members.subspan(at, std::min(members_per_call, members.size() - at));
        for (const auto& one : co_await results_of(there, of, part)) {
            all += all.empty() ? '[' : ',';
            all += one.empty() ? "null" : one;
        }
    }
    co_return all.empty() ? "[]" : all + ']';
}

}  // namespace errand
