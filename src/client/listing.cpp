#include "client/listing.hpp"

#include <errand/error.hpp>

#include "core/hex.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace errand {
namespace {

// A page may look at so many tasks for each that it is to give before it says "so far".
constexpr std::size_t looked_at_per_match = 40;
constexpr std::size_t listed_per_call = 200;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool has_error(const found_task& task, const std::string& part) {
    std::optional<task_notes> notes;
    if (!task.notes.empty()) notes = decode_notes(task.notes);
    if (!task.outcome.empty()) notes = decode_outcome(task.outcome).notes;
    if (!notes || notes->errors.empty()) return false;
    const auto& last = notes->errors.back();
    return contains(last.type, part) || contains(last.message, part);
}

bool matches(const found_task& task, const task_filter& which) {
    if (which.handler.empty() && which.biz_id.empty() && which.tag.empty() && which.error.empty() &&
        which.queue.empty()) {
        return true;
    }
    const auto body = decode_body(task.body);
    if (!which.queue.empty() && body.queue != which.queue) return false;
    if (!which.handler.empty() && body.handler != which.handler) return false;
    if (!which.biz_id.empty() && body.biz_id != which.biz_id) return false;
    if (!which.tag.empty() && std::ranges::find(body.tags, which.tag) == body.tags.end()) return false;
    return which.error.empty() || has_error(task, which.error);
}

[[noreturn]] void refuse_cursor(const std::string& text) {
    throw usage_error{"inspect: \"" + text + "\" is not what an earlier page gave as its `next`"};
}

// Where each list stands: "name;queue;cursor" in hex, joined by '.'; a list that is read to its end has a '-' before it.
struct position {
    std::string cursor;
    bool over = false;
};
using positions = std::map<std::pair<std::string, std::string>, position>;

std::string written(const positions& all) {
    std::string text;
    for (const auto& [list, at] : all) {
        if (!text.empty()) text += '.';
        text +=
            (at.over ? "-" : "") + to_hex(list.first) + ';' + to_hex(list.second) + ';' + to_hex(at.cursor);
    }
    return text;
}

positions read_positions(const std::string& text) {
    positions all;
    for (std::size_t from = 0; from < text.size();) {
        const auto end = std::min(text.find('.', from), text.size());
        std::string_view part = std::string_view{text}.substr(from, end - from);
        const bool over = part.starts_with('-');
        if (over) part.remove_prefix(1);
        const auto first = part.find(';');
        const auto second = first == part.npos ? part.npos : part.find(';', first + 1);
        if (second == part.npos) refuse_cursor(text);
        const auto name = from_hex(part.substr(0, first));
        const auto queue = from_hex(part.substr(first + 1, second - first - 1));
        const auto cursor = from_hex(part.substr(second + 1));
        if (!name || !queue || !cursor) refuse_cursor(text);
        all[{*name, *queue}] = {*cursor, over};
        from = end + 1;
    }
    return all;
}

// One list, read ahead.
struct source {
    task_list list;
    position at;          // behind what was given or passed over
    std::string read_to;  // behind what was read
    bool more = true;     // in the store
    std::deque<list_item> ahead{};
};

class merged_lists {
public:
    merged_lists(store& in, task_filter which, list_order order)
        : in_{in}, which_{std::move(which)}, newest_first_{order == list_order::newest_first} {}

    awaitable<void> open(const positions& from) {
        auto lists = co_await in_.lists(which_.state, which_.queue);
        // What is urgent is claimed first: the oldest of it is older than all else.
        if (which_.state == state::ready && newest_first_) std::ranges::reverse(lists);
        for (auto& list : lists) {
            source one{.list = std::move(list), .at = {}, .read_to = {}};
            if (const auto known = from.find({one.list.name, one.list.queue}); known != from.end()) {
                one.at = known->second;
                one.read_to = one.at.cursor;
                one.more = !one.at.over;
            }
            sources_.push_back(std::move(one));
        }
    }

    // Nullopt: there are no more.
    awaitable<std::optional<found_task>> next() {
        source* best = nullptr;
        for (auto& one : sources_) {
            if (one.ahead.empty() && one.more) co_await read(one);
            if (one.ahead.empty()) continue;
            if (!best || comes_before(one.ahead.front(), best->ahead.front())) best = &one;
            // Ready tasks of a queue stand in the order of its lists, and queues one after another.
            if (which_.state == state::ready) break;
        }
        if (!best) co_return std::nullopt;
        auto item = std::move(best->ahead.front());
        best->ahead.pop_front();
        best->at.cursor = std::move(item.cursor);
        if (best->ahead.empty()) {
            best->at.cursor = best->read_to;
            best->at.over = !best->more;
        }
        co_return std::move(item.task);
    }

    // Working tasks have no order, so a page of them cannot be left in its middle.
    bool within_page() const {
        return which_.state == state::working &&
               std::ranges::any_of(sources_, [](const source& one) { return !one.ahead.empty(); });
    }

    // Empty when all was given.
    std::string cursor() const {
        positions all;
        bool over = true;
        for (const auto& one : sources_) {
            const bool ended = one.ahead.empty() && !one.more;
            over = over && ended;
            all[{one.list.name, one.list.queue}] = {one.at.cursor, ended};
        }
        return over ? std::string{} : written(all);
    }

private:
    bool comes_before(const list_item& a, const list_item& b) const {
        return newest_first_ ? a.order > b.order : a.order < b.order;
    }

    awaitable<void> read(source& one) {
        while (one.ahead.empty() && one.more) {
            auto got = co_await in_.list({.of = one.list,
                                          .where = which_.state,
                                          .newest_first = newest_first_,
                                          .after = one.read_to,
                                          .limit = listed_per_call});
            one.read_to = std::move(got.last);
            one.more = got.more;
            for (auto& item : got.items) one.ahead.push_back(std::move(item));
        }
        if (one.ahead.empty()) one.at = {one.read_to, true};
    }

    store& in_;
    task_filter which_;
    bool newest_first_;
    std::vector<source> sources_;
};

}  // namespace

awaitable<found_page> list_page(store& in, task_filter which, std::string after, std::size_t limit,
                                list_order order) {
    const auto from = read_positions(after);
    merged_lists all{in, which, order};
    co_await all.open(from);
    found_page page;
    while (all.within_page() || (page.tasks.size() < limit && page.looked_at < limit * looked_at_per_match)) {
        auto task = co_await all.next();
        if (!task) break;
        ++page.looked_at;
        if (matches(*task, which)) page.tasks.push_back(std::move(*task));
    }
    page.next = all.cursor();
    co_return page;
}

}  // namespace errand
