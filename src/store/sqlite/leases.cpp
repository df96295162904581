// What a worker does with the tasks that it holds before they end, and who takes them over when it is gone.
#include "core/bytes.hpp"
#include "core/stage_record.hpp"
#include "store/sqlite/claims.hpp"

#include <set>

namespace errand::sqlite {

extend_answer claims::extend(const extend_call& call) {
    extend_answer got;
    std::set<claim_number> named;
    std::set<claim_number> holding;
    for (const auto& [id, claim] : call.tasks) {
        named.insert(claim);
        if (rows_.holds(id, claim)) {
            holding.insert(claim);
        } else {
            got.lost_tasks.emplace_back(id, claim);
        }
    }
    for (const auto claim : call.claims) {
        // A lease past its end is lost although nobody has recovered its tasks yet.
        const bool counts = holding.contains(claim) || !named.contains(claim);
        const auto until = tx_.upper() + call.lease.count();
        bool lasts = false;
        bool writes = counts;
        if (!counts || call.never_shorter) {
            // What is to stay as it is is not written.
            auto rows = sql_.claim_ends(tx_.ns(), claim);
            lasts = rows.next() && rows.number(0) > tx_.now();
            writes = lasts && counts && rows.number(0) < until;
        }
        if (writes) {
            sql_.lengthen.run(tx_.ns(), claim, until, tx_.now(), call.never_shorter);
            lasts = tx_.in.changed();
        }
        if (!lasts) got.lost_claims.push_back(claim);
    }
    return got;
}

std::vector<yield_verdict> claims::yield_gates(std::span<const yield_wish> wishes) {
    std::vector<yield_verdict> got;
    for (const auto& [id, claim, back] : wishes) {
        if (!rows_.holds(id, claim)) {
            got.push_back(yield_verdict::lost);
            continue;
        }
        if (!back) {
            gates_.free(id, claim);
            got.push_back(yield_verdict::done);
            continue;
        }
        // Those who stand in line are before it.
        groups_.settle();
        const auto body = rows_.body_of(*rows_.find(id));
        const bool runs = gates_.come_back(gates_of(body), id, claim);
        got.push_back(runs ? yield_verdict::done : yield_verdict::in_line);
    }
    return got;
}

report_verdict claims::note(const task_id& id, claim_number claim, std::string_view notes) {
    sql_.note.run(tx_.ns(), id.view(), claim, notes);
    return tx_.in.changed() ? report_verdict::accepted : report_verdict::lease_lost;
}

report_verdict claims::stage(const task_id& id, claim_number claim, incarnation life,
                             std::string_view record) {
    if (!rows_.holds(id, claim)) return report_verdict::lease_lost;
    byte_reader in{record, "stage of a task"};
    in.take(5);
    const auto name = in.take(in.u8());
    // What an earlier life of the id has left counts no more.
    sql_.drop_other_stages.run(tx_.ns(), id.view(), life);
    if (sql_.has_stage(tx_.ns(), id.view(), name).next()) return report_verdict::accepted;
    sql_.add_stage.run(tx_.ns(), id.view(), name, life, record);
    tx_.any.stages = true;
    return report_verdict::accepted;
}

stages_answer claims::stages(const task_id& id, claim_number claim) {
    if (!rows_.holds(id, claim)) return {.verdict = report_verdict::lease_lost, .records = {}};
    return {.verdict = report_verdict::accepted, .records = rows_.stages_of(id)};
}

recover_answer claims::recover(std::size_t limit, duration lease) {
    recover_answer got;
    struct lost_claim {
        claim_number number;
        std::string tasks;
    };
    std::vector<lost_claim> over;
    std::vector<claim_number> closed;
    std::vector<claim_number> before;  // of each task
    for (auto rows = sql_.leases_over(tx_.ns(), tx_.now(), limit); rows.next();)
        over.push_back({static_cast<claim_number>(rows.number(0)), std::string{rows.bytes(1)}});
    for (const auto& old : over) {
        if (got.tasks.size() >= limit) break;
        std::string_view ids{old.tasks};
        for (; ids.size() >= 16; ids.remove_prefix(16)) {
            auto rows = sql_.held(tx_.ns(), ids.substr(0, 16), old.number);
            if (!rows.next()) continue;
            const auto& queue = *tx_.cache().list_of(rows.number(2)).queue;
            got.tasks.push_back({.id = *task_id::from_bytes(ids.substr(0, 16)),
                                 .queue = queue.name,
                                 .body = std::string{rows.bytes(1)},
                                 .notes = std::string{rows.bytes(0)}});
            before.push_back(old.number);
        }
        sql_.close_claim.run(tx_.ns(), old.number);
        closed.push_back(old.number);
    }
    const auto number = take_lease(got.tasks, lease);
    for (std::size_t at = 0; at < got.tasks.size(); ++at) {
        auto& task = got.tasks[at];
        task.claim = number;
        gates_.hand_on(task.id, before[at], number);
        sql_.hold.run(tx_.ns(), task.id.view(), number);
        // It may have been taken here before, in an earlier life and another row.
        rows_taken_[tx_.ns()].erase(task.id);
    }
    // What was cancelled while it ran.
    for (const auto& old : closed) gates_.free_all(old);
    auto rows = sql_.first_end(tx_.ns());
    if (rows.next() && !rows.is_null(0)) got.next_end = time_point{duration{rows.number(0)}};
    got.now = tx_.time();
    return got;
}

}  // namespace errand::sqlite
