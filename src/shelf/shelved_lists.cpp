// What is on the shelf as one more list of delayed tasks.
#include "core/digits.hpp"
#include "shelf/shelved_store.hpp"

#include <chrono>
#include <string_view>
#include <utility>

namespace errand::shelf {

namespace {

// What this list is called among those of the store, which have other names.
constexpr std::string_view list_name = "shelf";
bool is_shelf(const task_list& list) { return list.name == list_name && list.queue.empty(); }

// Where a page begins: behind the last row that was seen, or where a list begins.
row_place begin_of(const list_call& call) {
    const auto cursor_of = [](std::string_view text) {
        row_place place;
        if (const auto split = text.find('/'); split != text.npos) {
            place.due = number_in(text.substr(0, split));
            place.id = text.substr(split + 1);
        }
        return place;
    };
    // Before and behind all rows of one moment.
    const std::string first{}, last(17, '\xff');
    if (!call.after.empty()) return cursor_of(call.after);
    if (call.from) {
        const bool before_all = call.newest_first == call.from->behind;
        return {call.from->order.time_since_epoch().count(), before_all ? first : last};
    }
    constexpr auto ends = std::chrono::milliseconds{std::chrono::years{100'000}}.count();
    return call.newest_first ? row_place{ends, last} : row_place{-ends, first};
}

}  // namespace

awaitable<std::vector<task_list>> shelved_store::lists(state where, std::string_view queue) {
    auto all = co_await in_.lists(where, queue);
    if (where == state::delayed) all.push_back({.queue = {}, .name = std::string{list_name}});
    co_return all;
}

awaitable<list_answer> shelved_store::list(const list_call& call) {
    if (!is_shelf(call.of)) co_return co_await in_.list(call);
    co_await ready();
    auto rows = co_await calls_.call(rows_->thread(),
                                     [on = rows_.get(), newest = call.newest_first, behind = begin_of(call),
                                      limit = call.limit] { return on->page(newest, behind, limit); });
    list_answer page{.items = {}, .last = call.after, .more = rows.size() == call.limit};
    for (auto& one : rows) {
        const auto due = one.due;
        auto cursor = std::to_string(due.time_since_epoch().count()) + '/' + std::string{one.id.view()};
        page.last = cursor;
        page.items.push_back({.task = found(std::move(one)), .order = due, .cursor = std::move(cursor)});
    }
    co_return page;
}

awaitable<std::vector<std::optional<time_point>>> shelved_store::heads(std::span<const list_call> calls) {
    std::vector<list_call> others;
    for (const auto& one : calls) {
        if (!is_shelf(one.of)) others.push_back(one);
    }
    auto theirs = co_await in_.heads(others);
    if (others.size() == calls.size()) co_return theirs;
    std::vector<std::optional<time_point>> all;
    auto next = theirs.begin();
    for (const auto& one : calls) {
        if (!is_shelf(one.of)) {
            all.push_back(*next++);
            continue;
        }
        auto first = one;
        first.limit = 1;
        const auto page = co_await list(first);
        all.push_back(page.items.empty() ? std::nullopt : std::optional{page.items.front().order});
    }
    co_return all;
}

}  // namespace errand::shelf
