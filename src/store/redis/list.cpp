// The lists in which the tasks of a state stand, page by page.
#include <errand/error.hpp>

#include "store/redis/shard_store.hpp"
#include "store/redis/tallies.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace errand::redis {
namespace {

constexpr std::string_view history_list = "history ";
constexpr std::string_view running_list = "working";
constexpr std::string_view aside_list = "aside";
constexpr std::size_t lists_per_call = 50;

// What the script reads on from: a cursor, or a place (scripts/list_sorted.lua).
std::string after_text(const list_call& asked) {
    if (!asked.after.empty() || !asked.from) return asked.after;
    return '@' + std::to_string(asked.from->order.time_since_epoch().count()) +
           (asked.from->behind ? " 1" : " 0");
}

// The lists of a queue, in the order in which their tasks come when the oldest come first. Histories aside.
std::vector<std::string_view> lists_of(state where) {
    switch (where) {
    case state::ready: return {"urgent", "ready", "held"};
    case state::delayed: return {"delayed", aside_list};
    case state::retry: return {"retry"};
    case state::waiting: return {"listed:w"};
    case state::dead: return {"listed:d"};
    case state::cancelled: return {"listed:c"};
    case state::expired: return {"listed:x"};
    case state::success: return {"listed:s"};
    case state::working: break;
    }
    return {};
}

// The queue, as keys have it, of a member of `histories`.
std::string_view queue_of_history(std::string_view member) { return member.substr(0, member.rfind(':')); }

found_task task_of(const task_id& id, state where, std::string_view value, std::string_view notes) {
    found_task task;
    task.id = id;
    task.where = where;
    task.notes = notes;
    if (!value.starts_with('E')) {
        task.body = value;
        return task;
    }
    const auto parts = split_end(value);
    task.body = parts.body;
    task.outcome = parts.outcome;
    task.finished_at = parts.finished_at;
    return task;
}

}  // namespace

awaitable<std::vector<task_list>> shard_store::lists(state where, std::string_view queue) {
    std::vector<task_list> all;
    if (where == state::working) co_return std::vector<task_list>{{"", std::string{running_list}}};
    std::vector<std::string> queues{std::string{queue}};
    if (queue.empty()) queues = (co_await counted("list", "q:*")).queues;
    for (const auto& one : queues) {
        for (const auto name : lists_of(where)) all.push_back({one, std::string{name}});
    }
    if (where != state::success) co_return all;
    std::map<std::string, std::string, std::less<>> by_key;
    for (const auto& one : queues) by_key.emplace(escaped(one), one);
    for (const auto& member : co_await histories()) {
        if (const auto at = by_key.find(queue_of_history(member)); at != by_key.end())
            all.push_back({at->second, std::string{history_list} + member});
    }
    co_return all;
}

awaitable<std::set<std::string>> shard_store::histories() {
    std::set<std::string> all;
    std::string from = "0";
    do {
        boost::redis::request ask;
        ask.push("SSCAN", keys_.histories(), from, "COUNT", per_page);
        reply page;
        co_await caller_.command("list", ask, page);
        reply_reader in{page};
        in.array();
        from = in.text();
        for (in.array(); !in.done();) all.emplace(in.text());
    } while (from != "0");
    co_return all;
}

std::optional<std::string> shard_store::history_key(const task_list& of) const {
    const std::string_view name{of.name};
    if (!name.starts_with(history_list)) return std::nullopt;
    return keys_.history(name.substr(history_list.size()));
}

awaitable<list_answer> shard_store::list(const list_call& asked) {
    if (asked.of.name == running_list) co_return co_await list_running(asked);
    const auto history = history_key(asked.of);
    script_call call{script_name::list, keys_};
    call.queue(asked.of.queue);
    call.arg(history ? std::string_view{"history"} : std::string_view{asked.of.name});
    call.arg(std::string_view{asked.newest_first ? "1" : "0"});
    call.own_arg(after_text(asked));
    call.arg(asked.limit);
    if (history) call.key(*history);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    list_answer got;
    got.more = in.number() != 0;
    got.last = in.text();
    while (!in.done()) {
        list_item one;
        one.cursor = in.text();
        const auto order = read_time(in);
        const auto id = read_id(in.text());
        const auto value = in.text();
        one.task = task_of(id, asked.where, value, in.text());
        one.task.now = head.now;
        one.order = order.value_or(time_point{});
        const bool waits = asked.where == state::delayed || asked.where == state::retry;
        if (waits && asked.of.name != aside_list) one.task.due_at = order;
        got.items.push_back(std::move(one));
    }
    co_return got;
}

awaitable<std::vector<std::optional<time_point>>> shard_store::heads(std::span<const list_call> calls) {
    std::vector<std::optional<time_point>> got;
    got.reserve(calls.size());
    for (; !calls.empty(); calls = calls.subspan(std::min(lists_per_call, calls.size()))) {
        const auto some = calls.first(std::min(lists_per_call, calls.size()));
        script_call call{script_name::heads, keys_};
        // Other keys come after those of all queues.
        for (const auto& one : some) {
            if (!history_key(one.of)) call.queue(one.of.queue);
        }
        call.arg(std::string_view{some.front().newest_first ? "1" : "0"});
        for (const auto& one : some) {
            const auto history = history_key(one.of);
            call.arg(history ? std::string_view{"history"} : std::string_view{one.of.name});
            call.arg(history ? call.key(*history) : call.queue(one.of.queue));
            call.own_arg(after_text(one));
        }
        reply answer;
        reply_reader in{answer};
        co_await ask(call, answer, in);
        for (std::size_t i = 0; i < some.size(); ++i) got.push_back(read_time(in));
    }
    co_return got;
}

// What workers run stands in no order.
awaitable<list_answer> shard_store::list_running(const list_call& asked) {
    script_call call{script_name::running, keys_};
    call.arg(asked.after.empty() ? std::string_view{"0"} : std::string_view{asked.after});
    call.arg(asked.limit);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    list_answer got;
    got.last = in.text();
    got.more = got.last != "0";
    while (!in.done()) {
        list_item one;
        const auto id = read_id(in.text());
        const auto claim = read_claim(in);
        const std::string worker{in.text()};
        const auto value = in.text();
        const auto noted = in.text();
        if (value.empty()) {
            // It did not fit.
            auto found = co_await find(id);
            if (!found || found->where != state::working) continue;
            one.task = std::move(*found);
        } else {
            one.task = task_of(id, state::working, value, noted);
            one.task.claim = claim;
            one.task.worker = worker;
            one.task.now = head.now;
            one.task.claimed_at = time_of_claim(claim);
        }
        one.order = one.task.claimed_at.value_or(head.now);
        one.cursor = asked.after;  // there is no place within the page
        got.items.push_back(std::move(one));
    }
    co_return got;
}

}  // namespace errand::redis
