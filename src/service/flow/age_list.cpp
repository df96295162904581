#include "service/flow/age_list.hpp"

#include "core/hex.hpp"
#include "core/record.hpp"
#include "service/refusal.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace errand::flow {
namespace {

constexpr std::string_view at_end = "!";

std::vector<std::string_view> parts_between(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find(mark, from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

std::string need_bytes(std::string_view hex) {
    auto bytes = from_hex(hex);
    if (!bytes) refuse_cursor();
    return std::move(*bytes);
}

std::string text_of_age(incarnation life, const task_id& id) {
    std::string bytes(sizeof life, '\0');
    for (auto at = bytes.size(); at > 0; --at, life >>= 8U) bytes[at - 1] = static_cast<char>(life & 0xFFU);
    return to_hex(bytes + std::string{id.view()});
}

std::pair<incarnation, task_id> read_age(std::string_view hex) {
    const auto bytes = need_bytes(hex);
    if (bytes.size() < sizeof(incarnation)) refuse_cursor();
    incarnation life = 0;
    for (std::size_t i = 0; i < sizeof life; ++i) life = (life << 8U) | static_cast<unsigned char>(bytes[i]);
    const auto id = task_id::from_bytes(std::string_view{bytes}.substr(sizeof life));
    if (!id) refuse_cursor();
    return {life, *id};
}

}  // namespace

void refuse_cursor() {
    throw web::bad_request("\"cursor\" is not what an earlier page gave as its `next`", "cursor");
}

// "<list>:<given to>", "<list>:<given to>:<last given>" or "<list>:!" of each list, with dots between.
std::string age_list::cursor() const {
    std::string text;
    bool more = false;
    for (const auto& one : sources_) {
        const bool ended = one.ahead.empty() && !one.more;
        more = more || !ended;
        if (!text.empty()) text += '.';
        text += name_of(one) + ':' + (ended ? std::string{at_end} : to_hex(one.given_to));
        if (!ended && one.last) text += ':' + text_of_age(one.last->life, one.last->id);
    }
    return more ? text : std::string{};
}

std::string age_list::name_of(const source& one) {
    return std::to_string(static_cast<int>(one.where)) + '-' + to_hex(one.list.name);
}

awaitable<void> age_list::open(std::vector<state> states, std::string after) {
    std::map<std::string, std::vector<std::string_view>, std::less<>> known;
    for (const auto part : parts_between(after, '.')) {
        if (after.empty()) break;
        auto words = parts_between(part, ':');
        if (words.size() < 2 || words.size() > 3) refuse_cursor();
        known.emplace(words.front(), words);
    }
    for (const auto where : states) {
        for (auto& list : co_await in_.lists(where, queue_)) {
            source one;
            one.where = where;
            one.list = std::move(list);
            if (const auto at = known.find(name_of(one)); at != known.end()) {
                const auto& words = at->second;
                one.more = words[1] != at_end;
                if (one.more) one.given_to = one.read_to = need_bytes(words[1]);
                if (words.size() == 3) {
                    const auto [life, id] = read_age(words[2]);
                    one.last = age{.life = life, .id = id};
                }
            }
            sources_.push_back(std::move(one));
        }
    }
}

awaitable<void> age_list::read(source& one) {
    while (one.ahead.empty() && one.more) {
        auto got = co_await in_.list({.of = one.list,
                                      .where = one.where,
                                      .newest_first = true,
                                      .after = one.read_to,
                                      .limit = read_ahead_});
        one.read_to = std::move(got.last);
        one.more = got.more;
        for (auto& item : got.items) {
            entry next{.of = {.life = incarnation_of(item.task.body), .id = item.task.id}, .item = {}};
            if (one.last && next.of >= *one.last) continue;
            next.item = std::move(item);
            one.ahead.push_back(std::move(next));
        }
        // What workers run stands in no order.
        if (one.where == state::working) std::ranges::sort(one.ahead, std::greater{}, &entry::of);
        if (!one.ahead.empty()) break;
        one.given_to = one.read_to;
        one.last.reset();
    }
}

awaitable<std::optional<found_task>> age_list::next() {
    source* best = nullptr;
    for (auto& one : sources_) {
        if (one.ahead.empty() && one.more) co_await read(one);
        if (one.ahead.empty()) continue;
        if (!best || best->ahead.front().of < one.ahead.front().of) best = &one;
    }
    if (!best) co_return std::nullopt;
    auto given = std::move(best->ahead.front());
    best->ahead.pop_front();
    if (best->ahead.empty()) {
        best->given_to = best->read_to;
        best->last.reset();
    } else if (best->where == state::working) {
        best->last = given.of;
    } else {
        best->given_to = std::move(given.item.cursor);
    }
    co_return std::move(given.item.task);
}

}  // namespace errand::flow
