#include "client/listing.hpp"

#include <errand/error.hpp>

#include "core/digits.hpp"
#include "core/hex.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

namespace errand {
namespace {

// A page may look at so many tasks for each that it is to give before it says "so far".
constexpr std::size_t looked_at_per_match = 40;
constexpr std::size_t listed_per_call = 200, fewest_per_call = 10;
constexpr std::size_t listed_of_all = 1000;
// So few lists are read without having been asked where they begin.
constexpr std::size_t looked_into_at_once = 3;

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

std::string hex_of(const task_list& list) { return to_hex(list.name) + ';' + to_hex(list.queue); }

// "name;queue;cursor" in hex.
struct place {
    task_list list;
    std::string cursor;
};

place read_place(std::string_view part, const std::string& text) {
    const auto first = part.find(';');
    const auto second = first == part.npos ? part.npos : part.find(';', first + 1);
    if (second == part.npos) refuse_cursor(text);
    const auto name = from_hex(part.substr(0, first));
    const auto queue = from_hex(part.substr(first + 1, second - first - 1));
    const auto cursor = from_hex(part.substr(second + 1));
    if (!name || !queue || !cursor) refuse_cursor(text);
    return {.list = {.queue = *queue, .name = *name}, .cursor = *cursor};
}

// Of lists without an order among them, where each stands: places joined by '.'; one that is read to its end has a '-' before it.
struct position {
    std::string cursor;
    bool over = false;
};
using positions = std::map<std::pair<std::string, std::string>, position>;

positions read_positions(const std::string& text) {
    positions all;
    for (std::size_t from = 0; from < text.size();) {
        const auto end = std::min(text.find('.', from), text.size());
        std::string_view part = std::string_view{text}.substr(from, end - from);
        const bool over = part.starts_with('-');
        if (over) part.remove_prefix(1);
        auto one = read_place(part, text);
        all[{one.list.name, one.list.queue}] = {std::move(one.cursor), over};
        from = end + 1;
    }
    return all;
}

// Of all others, where the last task was that was given: "@order.number of its list.place". By that it is known of every list how
// far it was given, however many there are.
struct ending {
    time_point order{};
    std::size_t number = 0;
    place at;
};

std::string written(const ending& of) {
    return '@' + std::to_string(of.order.time_since_epoch().count()) + '.' + std::to_string(of.number) + '.' +
           hex_of(of.at.list) + ';' + to_hex(of.at.cursor);
}

std::optional<ending> read_ending(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const auto first = text.find('.');
    const auto second = first == text.npos ? text.npos : text.find('.', first + 1);
    if (!text.starts_with('@') || second == text.npos) refuse_cursor(text);
    const auto order = number_in(std::string_view{text}.substr(1, first - 1));
    const auto number = number_in(std::string_view{text}.substr(first + 1, second - first - 1));
    return ending{.order = time_point{duration{order}},
                  .number = static_cast<std::size_t>(std::max<std::int64_t>(number, 0)),
                  .at = read_place(std::string_view{text}.substr(second + 1), text)};
}

auto list_name(const task_list& list) { return std::tie(list.queue, list.name); }

// One list, read ahead.
struct source {
    task_list list;
    std::optional<list_place> from{};  // where it begins
    position at{};                     // behind what was given or passed over
    std::string read_to{};             // behind what was read
    std::size_t some = 0;              // so many are read next
    bool more = true;                  // in the store
    std::deque<list_item> ahead{};
};

class merged_lists {
public:
    merged_lists(store& in, task_filter which, list_order order)
        : in_{in}, which_{std::move(which)}, newest_first_{order == list_order::newest_first} {}

    awaitable<void> open(std::string after) {
        auto lists = co_await in_.lists(which_.state, which_.queue);
        if (has_order()) std::ranges::sort(lists, {}, list_name);
        // What is urgent is claimed first: the oldest of it is older than all else.
        if (which_.state == state::ready && newest_first_) std::ranges::reverse(lists);
        for (auto& list : lists) sources_.push_back({.list = std::move(list)});
        if (which_.state == state::working) {
            open_at(read_positions(after));
        } else {
            co_await open_behind(read_ending(after));
        }
        // Of many lists a page takes few tasks each.
        const auto some = std::clamp(listed_of_all / std::max<std::size_t>(turns_.size(), 1), fewest_per_call,
                                     listed_per_call);
        for (auto& one : sources_) one.some = some;
    }

    // Nullopt: there are no more.
    awaitable<std::optional<found_task>> next() {
        while (!turns_.empty()) {
            const auto turn = turns_.top();
            turns_.pop();
            auto& one = sources_[turn.number];
            if (one.ahead.empty()) {
                if (one.more) co_await read(one);
                if (!one.ahead.empty()) add_turn(turn.number, one.ahead.front().order);
                continue;
            }
            auto item = std::move(one.ahead.front());
            one.ahead.pop_front();
            one.at.cursor = std::move(item.cursor);
            if (one.ahead.empty()) one.at = {one.read_to, !one.more};
            note_given(turn.number, item.order);
            if (!one.ahead.empty() || one.more)
                add_turn(turn.number, one.ahead.empty() ? item.order : one.ahead.front().order);
            co_return std::move(item.task);
        }
        co_return std::nullopt;
    }

    // Working tasks have no order, so a page of them cannot be left in its middle.
    bool within_page() const {
        return which_.state == state::working &&
               std::ranges::any_of(sources_, [](const source& one) { return !one.ahead.empty(); });
    }

    // Empty when all was given.
    std::string cursor() const {
        if (turns_.empty() || !given_) return {};
        if (which_.state != state::working) {
            const auto& last = sources_[given_->number];
            return written({given_->order, given_->number, {last.list, last.at.cursor}});
        }
        std::string text;
        for (const auto& one : sources_) {
            if (!text.empty()) text += '.';
            text +=
                (one.ahead.empty() && !one.more ? "-" : "") + hex_of(one.list) + ';' + to_hex(one.at.cursor);
        }
        return text;
    }

private:
    // Whose turn it is: the list with the task that comes next, of the same time the first of them.
    struct turn {
        duration::rep rank = 0;  // the greatest comes first
        std::size_t number = 0;
        friend bool operator<(const turn& a, const turn& b) {
            return a.rank != b.rank ? a.rank < b.rank : a.number > b.number;
        }
    };
    struct given {
        time_point order;
        std::size_t number;
    };

    // Ready tasks of a queue stand in the order of its lists, and queues one after another; what runs stands in none.
    bool has_order() const { return which_.state != state::ready && which_.state != state::working; }

    void add_turn(std::size_t number, time_point order) {
        const auto ms = order.time_since_epoch().count();
        turns_.push({which_.state == state::ready ? 0 : newest_first_ ? ms : -ms, number});
    }
    // Before all of which it is known where they stand.
    void add_turn(std::size_t number) {
        turns_.push({which_.state == state::ready ? 0 : std::numeric_limits<duration::rep>::max(), number});
    }

    void note_given(std::size_t number, time_point order) {
        const bool further = !given_ || (newest_first_ ? order < given_->order : order > given_->order);
        given_ = given{further ? order : given_->order, number};
    }

    void open_at(const positions& from) {
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            auto& one = sources_[i];
            if (const auto known = from.find({one.list.name, one.list.queue}); known != from.end()) {
                one.at = known->second;
                one.read_to = one.at.cursor;
                one.more = !one.at.over;
            }
            if (one.more) add_turn(i);
        }
    }

    // Of a list that is not there any more its number says where it was.
    awaitable<void> open_behind(std::optional<ending> last) {
        const auto at = std::ranges::find_if(sources_, [&](const source& one) {
            return last && list_name(one.list) == list_name(last->at.list);
        });
        auto first = last ? last->number : 0;
        if (at != sources_.end()) {
            first = static_cast<std::size_t>(at - sources_.begin());
            at->read_to = at->at.cursor = last->at.cursor;
            add_turn(first);
        }
        std::vector<list_call> calls;
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            auto& one = sources_[i];
            if (&one == (at != sources_.end() ? &*at : nullptr)) continue;
            if (last && !has_order() && i < first) continue;
            if (last && has_order())
                one.from = list_place{last->order, list_name(one.list) < list_name(last->at.list)};
            calls.push_back({.of = one.list,
                             .where = which_.state,
                             .newest_first = newest_first_,
                             .after = {},
                             .from = one.from});
            numbers.push_back(i);
        }
        if (calls.size() <= looked_into_at_once) {
            for (const auto i : numbers) add_turn(i);
            co_return;
        }
        const auto heads = co_await in_.heads(calls);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (heads[i]) add_turn(numbers[i], *heads[i]);
        }
    }

    awaitable<void> read(source& one) {
        while (one.ahead.empty() && one.more) {
            auto got = co_await in_.list({.of = one.list,
                                          .where = which_.state,
                                          .newest_first = newest_first_,
                                          .after = one.read_to,
                                          .limit = one.some,
                                          .from = one.from});
            one.some = std::min(one.some * 2, listed_per_call);
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
    std::priority_queue<turn> turns_;
    std::optional<given> given_;  // the last one, and the furthest order
};

}  // namespace

awaitable<found_page> list_page(store& in, task_filter which, std::string after, std::size_t limit,
                                list_order order) {
    merged_lists all{in, which, order};
    co_await all.open(std::move(after));
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
