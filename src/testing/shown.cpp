#include "testing/shown.hpp"

#include "runtime/stored_info.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace errand::testing {
namespace {

constexpr std::array pending_states{state::waiting, state::delayed, state::ready, state::working,
                                    state::retry};
constexpr std::array ended_states{state::success, state::dead, state::cancelled, state::expired};
// In a sentence: beyond that their number is enough.
constexpr std::size_t most_listed = 20;

struct seen_task {
    task_info info;
    incarnation life = 0;
    std::size_t end = 0;
};

bool ended_before(const seen_task& a, const seen_task& b) {
    if (a.info.finished_at != b.info.finished_at) return a.info.finished_at < b.info.finished_at;
    return a.end != b.end ? a.end < b.end : a.life < b.life;
}

std::string shown(const task_info& task) {
    return boost::json::serialize(task.args) + ", " + std::string{to_string(task.state)};
}

}  // namespace

awaitable<std::vector<task_info>> tasks_shown(solo_worker& in, std::string_view handler,
                                              std::optional<bool> ended) {
    std::vector<state> states;
    if (ended != true) states.insert(states.end(), pending_states.begin(), pending_states.end());
    if (ended != false) states.insert(states.end(), ended_states.begin(), ended_states.end());
    std::vector<seen_task> all;
    for (const auto where : states) {
        for (auto& one : co_await in.tasks_in(where, [](const found_task&) { return true; })) {
            const auto body = decode_body(one.body);
            if (!handler.empty() && body.handler != handler) continue;
            if (auto info = info_of(one))
                all.push_back({std::move(*info), body.life, in.place_of_end(one.id)});
        }
    }
    if (ended == true) {
        std::ranges::stable_sort(all, ended_before);
    } else {
        std::ranges::stable_sort(all, {}, &seen_task::life);
    }
    std::vector<task_info> tasks;
    tasks.reserve(all.size());
    for (auto& one : all) tasks.push_back(std::move(one.info));
    co_return tasks;
}

bool has_args(const task_info& task, std::string_view args) {
    return boost::json::value(task.args) == boost::json::parse(args);
}

// ---- expectations ----------------------------------------------------------------------------------

std::string unlike(std::string_view handler, std::string_view args, const std::vector<task_info>& instead) {
    std::string text = "no task of " + std::string{handler} + " was submitted with " + std::string{args} +
                       "; of this handler there are " + std::to_string(instead.size()) + ":";
    for (std::size_t at = 0; at < std::min(instead.size(), most_listed); ++at)
        text += "\n  " + shown(instead[at]);
    if (instead.size() > most_listed)
        text += "\n  and " + std::to_string(instead.size() - most_listed) + " more";
    return text;
}

std::string none_of(std::string_view handler, const std::optional<std::string>& args,
                    const std::vector<task_info>& instead) {
    std::string text = "no task of " + std::string{handler} + " was submitted";
    if (args) text += ", with " + *args + " or otherwise";
    if (instead.empty()) return text + "; nothing was";
    std::map<std::string, std::size_t> counts;
    for (const auto& one : instead) ++counts[one.handler];
    text += "; of other handlers:";
    for (const auto& [name, count] : counts) text += "\n  " + name + ": " + std::to_string(count);
    return text;
}

// ---- waits -----------------------------------------------------------------------------------------

namespace {

std::string why_not(const task_info& task) {
    switch (task.state) {
    case state::waiting: {
        std::string text = "waits for " + std::to_string(task.waits_for_count) + " task(s)";
        for (const auto& one : task.waits_for) text += " " + one;
        if (task.failed_dependencies > 0)
            text += ", and " + std::to_string(task.failed_dependencies) + " it depends on failed";
        return text;
    }
    case state::working: return "runs, and waits itself";
    case state::ready:
        if (!task.blocked_by.empty()) return "is ready, but held back: " + task.blocked_by.front();
        return "is ready, but its queue \"" + task.queue + "\" is paused or not served";
    case state::delayed: return "falls due again and again, and no handler of its name runs here";
    default: return "is " + std::string{to_string(task.state)};
    }
}

}  // namespace

awaitable<std::string> endless(loop& home, std::vector<task_id> awaited) {
    std::string text = "harness::run: this can never end, since no task that could run is left; it waits for";
    for (const auto& id : awaited) {
        const auto found = co_await home.tasks().find(id);
        const auto info = found ? info_of(*found) : std::nullopt;
        text += "\n  task " + to_text(id);
        if (info) text += " of " + info->handler + ", which " + why_not(*info);
    }
    co_return text;
}

}  // namespace errand::testing
