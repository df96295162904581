// Groups: places that are kept for other queues. Who reports and claims in one call would be the first at each place that it frees,
// and a queue that other workers serve would never have one.
#include "store/sqlite/groups.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// What nobody takes costs nobody a place for longer, ms; a start of a rate for no longer than until the next one.
constexpr std::int64_t place_kept_for = 1000;

}  // namespace

std::optional<groups::order_at_gate> groups::next_to_start(const stop_row& stop) {
    parked_group found;
    if (const auto at = let_go_.find({stop.gate, stop.queue}); at != let_go_.end()) {
        found = at->second;
    } else {
        // Of one that was let go before this call somebody has heard.
        if (stop.let_go) return std::nullopt;
        auto rows = sql_.first_parked(stop.queue->k, std::string_view{stop.gate});
        if (!rows.next()) return std::nullopt;
        found = {rows.number(0), {static_cast<int>(rows.number(1)), rows.number(3)}};
    }
    const auto* in = find_list(*stop.queue);
    if (!in) return std::nullopt;
    std::string all;
    {
        auto rows = sql_.group_head(in->k, found.number, tx_.ns());
        if (!rows.next()) return std::nullopt;
        all = gates_of(rows.bytes(2));
    }
    if (!gates_.first_closed(all).empty()) return std::nullopt;
    return found.order;
}

std::string_view groups::kept_gate(const waiting_group& group, std::string_view all,
                                   std::span<const std::string> claims_from) {
    const order_at_gate own{group.rank, group.since};
    for (auto rest = all; rest.size() >= gate_width; rest.remove_prefix(gate_width)) {
        const auto gate = rest.substr(0, gate_width);
        if (gates_.look_after_start(gate).open()) continue;
        if (const auto at = kept_.find(gate); at != kept_.end() && at->second < own) return gate;
        for (const auto& stop : stops(gate, gate)) {
            if (stop.queue->paused || std::ranges::find(claims_from, stop.queue->name) != claims_from.end())
                continue;
            const auto first = next_to_start(stop);
            if (!first || *first >= own) continue;
            auto* worker = tx_.idle.take_other(tx_.ns(), stop.queue->name, tx_.by());
            if (!worker) continue;
            tx_.notify(*worker, notice::kind::woken);
            kept_.insert_or_assign(std::string{gate}, *first);
            return gate;
        }
    }
    return {};
}

void groups::stand_back(queue_row& queue, const waiting_group& group, std::string_view gate) {
    const auto latest = tx_.now() + place_kept_for;
    const auto next = opening_of(gates_.look_after_start(gate)).value_or(latest);
    sql_.park_group.run(queue.k, group.number, gate, group.since);
    sql_.keep_stop.run(tx_.ns(), gate, queue.k, std::optional{std::min(next, latest)}, 0);
    sql_.begin_wait_at_limit.run(tx_.ns(), limit_of_gate(gate), tx_.now());
    if (!group.via.empty() && group.via != gate) look_at(group.via, queue);
}

}  // namespace errand::sqlite
