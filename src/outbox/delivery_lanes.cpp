#include "outbox/delivery_lanes.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace errand::detail {

delivery_lanes::delivery_lanes(std::size_t shards, std::function<shard_set(const outbox_entry&)> route,
                               lane_bounds most)
    : shards_{shards}, route_{std::move(route)}, most_{most} {}

delivery_lanes::needs_of_lanes delivery_lanes::put_in_line(std::vector<outbox_entry> commit) {
    needs_of_lanes all;
    const std::lock_guard lock{guard_};
    if (stopped_) return all;
    const auto known_before = tickets_;
    const auto waited = waiting_;
    std::unordered_set<task_id> left;
    for (auto& one : commit) {
        const auto id = one.item.id;
        auto& in = lane_for(one);
        const bool needs_one_left =
            left.contains(id) || std::ranges::any_of(one.item.after, [&](const parent_task& parent) {
                return left.contains(parent.id);
            });
        // The relay will find them; so will those who wait for them.
        if (needs_one_left || (waited > most_.in_lines && takes_no_more(in, 0, known_before)) ||
            takes_no_more(in, most_.in_line, known_before)) {
            left.insert(id);
            continue;
        }
        const auto needs = put_in_line(in, std::move(one));
        const auto known = std::ranges::find(all, &in, &std::pair<lane*, need>::first);
        if (known != all.end()) {
            known->second = std::max(known->second, needs);
        } else if (needs != need::nothing) {
            all.emplace_back(&in, needs);
        }
    }
    return all;
}

// It was full before this commit: that is not torn apart.
bool delivery_lanes::takes_no_more(const lane& in, std::size_t most, std::uint64_t before) {
    return in.line_.size() > most && in.line_[most].ticket <= before;
}

delivery_lanes::lane& delivery_lanes::lane_for(const outbox_entry& one) {
    auto shards = route_(one);
    for (const auto& other : before(one)) {
        shard_set both;
        std::ranges::set_union(shards, other.in->shards, std::back_inserter(both));
        shards = std::move(both);
    }
    if (shards.size() > 1 && lanes_.size() >= most_.lanes && !lanes_.contains(shards)) {
        shards.resize(shards_);
        std::iota(shards.begin(), shards.end(), std::size_t{0});
    }
    auto& in = lanes_[shards];
    if (in.shards.empty()) in.shards = std::move(shards);
    return in;
}

delivery_lanes::need delivery_lanes::put_in_line(lane& in, outbox_entry one) {
    // The transaction waits for the store's word.
    const bool awaited = one.task->biz_id || one.task->schedule;
    one.ticket = ++tickets_;
    if (shards_ > 1) unanswered_.emplace(one.item.id, position{&in, one.ticket});
    in.line_.push_back(std::move(one));
    ++waiting_;
    in.awaited_ = in.awaited_ || awaited;
    if (!std::exchange(in.delivering_, true)) return need::call;
    return awaited || in.line_.size() >= most_.worth_a_call ? need::haste : need::nothing;
}

// What it must not overtake.
std::vector<delivery_lanes::position> delivery_lanes::before(const outbox_entry& one) const {
    std::vector<position> all;
    if (unanswered_.empty()) return all;
    const auto add = [&](const task_id& other) {
        const auto [from, to] = unanswered_.equal_range(other);
        for (auto at = from; at != to; ++at) all.push_back(at->second);
    };
    add(one.item.id);
    for (const auto& parent : one.item.after) add(parent.id);
    return all;
}

void delivery_lanes::strike_out(const task_id& id, std::uint64_t ticket) {
    const auto [from, to] = unanswered_.equal_range(id);
    for (auto at = from; at != to; ++at) {
        if (at->second.ticket != ticket) continue;
        unanswered_.erase(at);
        return;
    }
}

void delivery_lanes::stop() {
    const std::lock_guard lock{guard_};
    stopped_ = true;
}

bool delivery_lanes::is_urgent(const lane& in) const {
    const std::lock_guard lock{guard_};
    return in.awaited_ || in.line_.size() >= most_.worth_a_call;
}

bool delivery_lanes::fetch(lane& of) {
    auto& line = of.line_;
    auto& on_way = of.on_way;
    const std::lock_guard lock{guard_};
    while (!line.empty() && (on_way.size() < most_.on_way || on_way.back().batch == line.front().batch) &&
           !must_wait(of, line.front())) {
        of.asked_.emplace_back(line.front().item.id, line.front().ticket);
        on_way.push_back(std::move(line.front()));
        line.pop_front();
        --waiting_;
    }
    of.awaited_ = false;
    of.delivering_ = !on_way.empty() || !line.empty();
    return of.delivering_;
}

// By the order of tickets nothing waits in a circle.
bool delivery_lanes::must_wait(const lane& in, const outbox_entry& one) const {
    if (unanswered_.empty()) return false;
    return std::ranges::any_of(before(one), [&](const position& other) {
        return other.in != &in && other.ticket < one.ticket;
    });
}

void delivery_lanes::answered(lane& of, std::unordered_set<task_id> stayed) {
    const std::lock_guard lock{guard_};
    for (const auto& [id, ticket] : of.asked_) strike_out(id, ticket);
    of.asked_.clear();
    of.on_way.clear();
    if (!stayed.empty()) leave_what_needs(std::move(stayed));
}

void delivery_lanes::failed(lane& of) {
    std::unordered_set<task_id> all;
    for (const auto& one : of.asked_) all.insert(one.first);
    answered(of, std::move(all));
}

// It would be taken for what depends on a task that is kept no longer, or for the first of its id; the relay delivers both.
void delivery_lanes::leave_what_needs(std::unordered_set<task_id> left) {
    for (bool more = true; more;) {
        more = false;
        for (auto& [shards, one] : lanes_) {
            waiting_ -= std::erase_if(one.line_, [&](const outbox_entry& entry) {
                const auto id = entry.item.id;
                const auto needs_it = [&](const parent_task& parent) { return left.contains(parent.id); };
                if (!left.contains(id) && std::ranges::none_of(entry.item.after, needs_it)) return false;
                more = left.insert(id).second || more;
                strike_out(id, entry.ticket);
                return true;
            });
        }
    }
}

void delivery_lanes::give_up(lane& of) {
    std::deque<outbox_entry> dropped;
    const std::lock_guard lock{guard_};
    dropped.swap(of.line_);
    waiting_ -= dropped.size();
}

bool delivery_lanes::has(const held_task& task) const {
    const auto is_its = [&](const outbox_entry& entry) { return entry.task.get() == &task; };
    const std::lock_guard lock{guard_};
    if (shards_ > 1) return unanswered_.contains(entry_id(task));
    return std::ranges::any_of(lanes_, [&](const auto& one) {
        return std::ranges::any_of(one.second.line_, is_its) ||
               std::ranges::any_of(one.second.on_way, is_its);
    });
}

std::vector<const delivery_lanes::lane*> delivery_lanes::delivering() const {
    std::vector<const lane*> all;
    const std::lock_guard lock{guard_};
    for (const auto& [shards, one] : lanes_) {
        if (one.delivering_) all.push_back(&one);
    }
    return all;
}

}  // namespace errand::detail
