// Limits at the store's seam: tasks with gates, and short words for what tests of them do all the time.
#pragma once

#include "core/gates.hpp"
#include "support/ward.hpp"

#include <optional>
#include <string>
#include <vector>

namespace errand::test {

struct limit_fixture : ward_on<store_fixture> {
    static constexpr std::chrono::hours long_lease{1};

    static std::string running(const std::string& limit, const std::string& key = {}) {
        return gate_of(gate_kind::running, limit, key);
    }
    static std::string starts(const std::string& limit, const std::string& key = {}) {
        return gate_of(gate_kind::starts, limit, key);
    }
    static std::string both(const std::string& limit, const std::string& key = {}) {
        return gate_of(gate_kind::both, limit, key);
    }
    static limit_rule at_most(int most) { return {.max_running = most}; }
    static limit_rule never_more_than(int count, duration per, int burst = 0) {
        return {.rate = rate_limit{count, per, burst}};
    }

    // The same item behind these gates.
    static submission_item behind(submission_item item, const std::string& gates) {
        auto body = decode_body(item.body);
        body.gates = gates;
        item.body = encode(body);
        item.gated = !gates.empty();
        return item;
    }
    static submission_item gated(const std::string& gates, const std::string& args = "[]",
                                 const std::string& queue = "default", int priority = 0) {
        return behind(item_of(args, queue, priority), gates);
    }
    task_id submit_gated(const std::string& gates, const std::string& args = "[]",
                         const std::string& queue = "default", int priority = 0) {
        const auto item = gated(gates, args, queue, priority);
        CHECK(submit(worker, item).verdict == submit_verdict::accepted);
        return item.id;
    }
    std::vector<task_id> submit_many(std::size_t count, const std::string& gates,
                                     const std::string& args = "[]", const std::string& queue = "default") {
        std::vector<task_id> ids;
        for (std::size_t sent = 0; sent < count;) {
            std::vector<submission_item> items;
            for (; items.size() < 500 && sent < count; ++sent) items.push_back(gated(gates, args, queue));
            for (const auto& item : items) ids.push_back(item.id);
            submit_all(worker, items);
        }
        return ids;
    }

    void declare(const std::string& name, const limit_rule& rule) {
        const std::vector<named_limit> all{{name, rule}};
        await(io, worker->declare_limits(all));
    }
    void set(const std::string& name, const std::optional<limit_rule>& rule) {
        await(io, worker->set_limit(name, rule));
    }
    limit_state state_of_limit(const std::string& name) {
        const auto all = await(io, worker->limits());
        const auto at = std::ranges::find(all, name, &limit_state::name);
        return at == all.end() ? limit_state{} : *at;
    }

    static report mark(report one, const claimed_task& task) {
        one.gated = !gates_of(task.body).empty();
        return one;
    }
    static report done(const claimed_task& task) { return mark(success_of(task), task); }
    static report of(const claimed_task& task, report::kind what, duration delay = {}) {
        return mark(report_of(task, what, delay), task);
    }
    // One call that reports, says that the claims are over where they are, and claims.
    work_answer work(member& by, std::vector<report> reports, std::vector<claim_number> closed = {},
                     std::size_t limit = 0, const std::string& queue = "default") {
        work_call call;
        call.reports = std::move(reports);
        call.closed = std::move(closed);
        call.claim = {.queues = {queue}, .limit = limit, .lease = long_lease};
        return await(io, by->work(call));
    }
    // Others of its claim go on.
    report_verdict finish_one(const claimed_task& task) { return work(worker, {done(task)}).verdicts.at(0); }

    static std::vector<task_id> ids_of(const std::vector<claimed_task>& tasks) {
        std::vector<task_id> ids;
        for (const auto& one : tasks) ids.push_back(one.id);
        return ids;
    }
    std::vector<claimed_task> take(std::size_t limit, const std::string& queue = "default") {
        return claim(worker, limit, {queue}, long_lease).claimed;
    }
    std::string taken_args(std::size_t limit) {
        std::string all;
        for (const auto& one : take(limit)) all += args_of(one);
        return all;
    }
    // Until so many have come to be due.
    bool promote(std::size_t count, const std::vector<std::string>& queues = {"default"}) {
        std::size_t promoted = 0;
        return until([&] {
            promoted += await(io, worker->promote(queues, 1000, outcome_of(state::expired))).promoted;
            return promoted >= count;
        });
    }
    void cancel(const task_id& id) {
        CHECK(await(io, worker->cancel(id, 0, outcome_of(state::cancelled))).cancelled);
    }
};

}  // namespace errand::test
