#include "core/cycle_search.hpp"

#include <algorithm>

namespace errand {
namespace {

// Depth first: `way_` leads from a task to what it waits for.
class cycles_of_added {
public:
    explicit cycles_of_added(const added_tasks& all) : all_{all} {}

    void follow_from(const task_id& start) {
        if (done_.contains(start)) return;
        push(start);
        while (!way_.empty()) {
            auto& top = way_.back();
            if (top.next == top.parents->size()) {
                place_.erase(top.id);
                done_.insert(top.id);
                way_.pop_back();
                continue;
            }
            const auto parent = (*top.parents)[top.next++];
            if (const auto on_way = place_.find(parent); on_way != place_.end()) {
                note_cycle(on_way->second);
            } else if (all_.parents_of(parent) && !done_.contains(parent)) {
                push(parent);
            }
        }
    }

    std::unordered_map<task_id, std::vector<task_id>> found;

private:
    struct step {
        task_id id;
        const std::vector<task_id>* parents;
        std::size_t next = 0;
    };

    void push(const task_id& id) {
        place_[id] = way_.size();
        way_.push_back({id, all_.parents_of(id)});
    }

    void note_cycle(std::size_t from) {
        std::vector<task_id> ids;
        for (std::size_t at = from; at < way_.size(); ++at) ids.push_back(way_[at].id);
        for (const auto& id : ids) found[id] = ids;
    }

    const added_tasks& all_;
    std::vector<step> way_;
    std::unordered_map<task_id, std::size_t> place_;  // on the way
    std::unordered_set<task_id> done_;
};

}  // namespace

void added_tasks::add(const task_id& id, std::vector<task_id> parents) {
    if (parents_.try_emplace(id, std::move(parents)).second) order_.push_back(id);
}

const std::vector<task_id>* added_tasks::parents_of(const task_id& id) const {
    const auto known = parents_.find(id);
    return known == parents_.end() ? nullptr : &known->second;
}

std::unordered_map<task_id, std::vector<task_id>> added_tasks::cycles() const {
    cycles_of_added search{*this};
    for (const auto& id : order_) search.follow_from(id);
    return std::move(search.found);
}

cycle_walk::step cycle_walk::follow(const task_id& child, const task_id& parent) {
    if (parent == start_) return step::closes;
    return came_from_.try_emplace(parent, child).second ? step::reached : step::known;
}

std::vector<task_id> cycle_walk::way_to(task_id last) const {
    std::vector<task_id> way{last};
    while (way.back() != start_) way.push_back(came_from_.at(way.back()));
    std::ranges::reverse(way);
    return way;
}

}  // namespace errand
