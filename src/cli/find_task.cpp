#include "cli/find_task.hpp"

#include <errand/error.hpp>

#include "cli/session.hpp"
#include "core/task_id.hpp"

#include <algorithm>
#include <array>

namespace errand::cli {
namespace {

constexpr std::size_t looked_through = 1000;  // tasks of each state

constexpr std::array every_state{state::waiting, state::delayed,   state::ready,
                                 state::working, state::retry,     state::success,
                                 state::dead,    state::cancelled, state::expired};

// What is limited stands in the first of several shards, under an id of that one.
std::optional<task_info> by_names(session& on, std::string_view handler, std::string_view biz_id) {
    const auto id = derive_task_id(handler, biz_id);
    if (auto found = on.run(on.inspect().find(to_text(id)))) return found;
    if (on.app().settings().shards < 2) return std::nullopt;
    return on.run(on.inspect().find(to_text(in_first_shard(id))));
}

void add_new(std::vector<task_info>& to, task_info one) {
    if (std::ranges::find(to, one.id, &task_info::id) == to.end()) to.push_back(std::move(one));
}

std::vector<task_info> all_with_biz_id(session& on, const std::string& biz_id) {
    std::vector<task_info> all;
    for (const auto& handler : on.run(on.inspect().handlers())) {
        if (auto one = by_names(on, handler.name, biz_id)) add_new(all, std::move(*one));
    }
    for (const auto where : every_state) {
        task_filter which{.state = where, .biz_id = biz_id};
        auto page = on.run(on.inspect().list(which, "", looked_through));
        for (auto& one : page.tasks) add_new(all, std::move(one));
    }
    return all;
}

std::string told_apart(const std::vector<task_info>& tasks, const std::string& biz_id) {
    std::string names;
    for (const auto& one : tasks) names += (names.empty() ? "" : ", ") + one.handler + ":" + biz_id;
    return names;
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> handler_and_biz_id(std::string_view text) {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (auto at = text.rfind(':'); at != text.npos && at > 0; at = text.rfind(':', at - 1)) {
        if (at + 1 < text.size()) all.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return all;
}

std::optional<task_info> find_task(session& on, const std::string& text) {
    if (parse_task_id(text)) {
        if (auto found = on.run(on.inspect().find(text))) return found;
    }
    for (const auto& [handler, biz_id] : handler_and_biz_id(text)) {
        if (auto found = by_names(on, handler, biz_id)) return found;
    }
    if (text.empty()) return std::nullopt;
    auto all = all_with_biz_id(on, text);
    if (all.size() > 1) {
        throw usage_error{std::to_string(all.size()) + " tasks have the biz_id \"" + text +
                          "\": say which one, as handler:biz_id: " + told_apart(all, text)};
    }
    if (all.empty()) return std::nullopt;
    return std::move(all.front());
}

std::string id_of_task(session& on, const std::string& text) {
    if (auto found = find_task(on, text)) return std::move(found->id);
    // Of one that is gone, too.
    if (parse_task_id(text)) return text;
    throw usage_error{'"' + text + "\" is not a task's id, nor the biz_id of one"};
}

}  // namespace errand::cli
