#include "runtime/schedule_steps.hpp"

#include "core/random.hpp"
#include "runtime/task_gates.hpp"

namespace errand {

submission_item item_of(planned_run made, time_point now) {
    auto& body = made.body;
    body.life = static_cast<std::uint64_t>(now.time_since_epoch().count()) << 16U |
                (next_serial().value_or(random_bits()) & 0xFFFFU);
    body.due_at = made.starts_at;
    submission_item item;
    item.id = made.id;
    item.body = encode(body);
    item.queue = std::move(body.queue);
    item.priority = body.priority;
    item.at = made.starts_at;
    item.expires_after = body.expires_after;
    item.gated = !body.gates.empty();
    return item;
}

void count_what_runs(const settings_book& book, schedule_move& move) {
    const auto rules = book.quota_rules();
    if (!rules) return;
    for (auto& made : move.runs) count_what_runs(*rules, made.body);
}

schedule_step step_of(std::uint64_t seen, schedule_move move, time_point now) {
    auto& record = move.record;
    schedule_step step;
    step.id = id_of(record);
    step.seen = seen;
    step.name = record.identity + '\n' + record.key + '\n' + std::string{step.id.view()};
    if (!move.forgotten) {
        // Never 0, which stands for none.
        record.stamp = random_bits() | 1U;
        step.record = encode(record);
        step.look_at = look_at(record, now);
    }
    for (auto& made : move.runs) step.runs.push_back(item_of(std::move(made), now));
    return step;
}

}  // namespace errand
