#include "worker/introduction.hpp"

#include "core/config_text.hpp"
#include "core/limit_rules.hpp"
#include "core/store_list.hpp"

#include <algorithm>

namespace errand {

namespace {

constexpr std::size_t most_names = 10;

std::string listed(const std::vector<std::string>& names) {
    std::string all;
    for (std::size_t at = 0; at < std::min(names.size(), most_names); ++at)
        all += (at == 0 ? "" : ", ") + names[at];
    if (names.size() > most_names) all += " and " + std::to_string(names.size() - most_names) + " more";
    return all;
}

std::vector<std::string> handlers_here() {
    std::vector<std::string> names;
    for (const auto* one : handlers::all()) {
        if (one->code) names.push_back(one->name);
    }
    return names;
}

std::vector<std::string> queues_of_handlers() {
    std::vector<std::string> names;
    for (const auto* one : handlers::all()) {
        if (one->code) names.push_back(one->policy.queue);
    }
    return names;
}

// With their weights, where these were chosen.
std::vector<std::string> queues_served(const worker_shared& shared) {
    auto names = shared.queues.names();
    for (auto& name : names) {
        const auto chosen = shared.app.settings.queues.find(name);
        if (chosen != shared.app.settings.queues.end()) name += ":" + std::to_string(chosen->second);
    }
    return names;
}

std::string name_spaces_of(const detail::app_core& app) {
    if (!app.serves_several()) return "namespace " + app.settings.name_space;
    std::vector<std::string> names;
    for (const auto& [name, weight] : app.own().settings.name_spaces)
        names.push_back(name + ":" + std::to_string(weight));
    return "namespaces " + listed(names);
}

}  // namespace

std::string introduction_of(const worker_shares& served) {
    const auto& shared = *served.front();
    const auto& settings = shared.app.settings;
    const auto names = handlers_here();
    return "worker " + shared.app.process_name + " on " +
           (keeps_in_memory(settings) ? "sqlite::memory:" : shown_stores(settings.store)) + ", " +
           name_spaces_of(shared.app) + ", serves " + listed(queues_served(shared)) + " with " +
           std::to_string(names.size()) + (names.size() == 1 ? " handler" : " handlers") +
           (names.empty() ? "" : " (" + listed(names) + ")") + ", " + std::to_string(settings.concurrency) +
           (settings.concurrency == 1 ? " task" : " tasks") + " at once";
}

std::vector<std::string> doubts_of(const worker_shares& served) {
    const auto& shared = *served.front();
    std::vector<std::string> doubts;
    const auto& own = shared.app.own().settings;
    if (shared.app.serves_several() && !own.name_spaces.contains(own.name_space)) {
        doubts.push_back("what this program submits outside of tasks is in namespace \"" + own.name_space +
                         "\", which this worker does not serve");
    }
    const auto known = queues_of_handlers();
    for (const auto& name : shared.queues.names()) {
        if (std::ranges::find(known, name) != known.end()) continue;
        const auto nearest = nearest_name(name, known);
        doubts.push_back("no handler of this program has the queue \"" + name + "\"" +
                         (nearest.empty() ? "" : "; the nearest is \"" + std::string{nearest} + '"'));
    }
    return doubts;
}

}  // namespace errand
