#include "store/sqlite/idle_workers.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

template <class Map>
void remove_from(Map& all, typename Map::iterator at, caller* who) {
    if (at == all.end()) return;
    std::erase(at->second, who);
    if (at->second.empty()) all.erase(at);
}

template <class Map>
caller* take_first(Map& all, typename Map::iterator at) {
    if (at == all.end()) return nullptr;
    auto* first = at->second.front();
    at->second.erase(at->second.begin());
    if (at->second.empty()) all.erase(at);
    return first;
}

template <class Map>
auto keys_of(const Map& all) {
    std::vector<typename Map::key_type> keys;
    for (const auto& [key, value] : all) keys.push_back(key);
    return keys;
}

void add(std::vector<caller*>& to, caller* who) {
    if (std::ranges::find(to, who) == to.end()) to.push_back(who);
}

}  // namespace

void idle_workers::enter(caller& who) { add(callers_, &who); }

void idle_workers::leave(caller& who) {
    std::erase(callers_, &who);
    for (const auto& [ns, queue] : waited_for()) stop_waiting(who, queue);
    stop_waiting_for_news(who);
    stop_waiting_aside(who);
    stop_watching_schedules(who);
}

caller* idle_workers::find(std::int64_t ns, std::string_view name) const {
    const auto at =
        std::ranges::find_if(callers_, [&](const caller* one) { return one->ns == ns && one->name == name; });
    return at == callers_.end() ? nullptr : *at;
}

void idle_workers::wait(caller& who, std::string_view queue) {
    add(idle_[{who.ns, std::string{queue}}], &who);
}

void idle_workers::stop_waiting(caller& who, std::string_view queue) {
    if (!idle_.empty()) remove_from(idle_, idle_.find({who.ns, std::string{queue}}), &who);
}

caller* idle_workers::take(std::int64_t ns, std::string_view queue) {
    return idle_.empty() ? nullptr : take_first(idle_, idle_.find({ns, std::string{queue}}));
}

caller* idle_workers::take_other(std::int64_t ns, std::string_view queue, const caller& but) {
    const auto all = idle_.find({ns, std::string{queue}});
    if (all == idle_.end()) return nullptr;
    const auto at = std::ranges::find_if(all->second, [&](const caller* one) { return one != &but; });
    if (at == all->second.end()) return nullptr;
    auto* other = *at;
    remove_from(idle_, all, other);
    return other;
}

std::size_t idle_workers::waiting(std::int64_t ns, std::string_view queue) const {
    const auto at = idle_.find({ns, std::string{queue}});
    return at == idle_.end() ? 0 : at->second.size();
}

std::vector<idle_workers::place> idle_workers::waited_for() const { return keys_of(idle_); }

void idle_workers::wait_aside(adopter one) {
    stop_waiting_aside(*one.who);
    adopters_.push_back(std::move(one));
}

void idle_workers::stop_waiting_aside(const caller& who) {
    std::erase_if(adopters_, [&](const adopter& one) { return one.who == &who; });
}

void idle_workers::watch_schedules(const schedule_watcher& one) {
    stop_watching_schedules(*one.who);
    schedule_watchers_.push_back(one);
}

void idle_workers::stop_watching_schedules(const caller& who) {
    std::erase_if(schedule_watchers_, [&](const schedule_watcher& one) { return one.who == &who; });
}

void idle_workers::wait_for_news(caller& who) { add(resolvers_[who.ns], &who); }
void idle_workers::stop_waiting_for_news(caller& who) {
    remove_from(resolvers_, resolvers_.find(who.ns), &who);
}
caller* idle_workers::take_resolver(std::int64_t ns) { return take_first(resolvers_, resolvers_.find(ns)); }
std::vector<std::int64_t> idle_workers::news_waited_for() const { return keys_of(resolvers_); }

}  // namespace errand::sqlite
