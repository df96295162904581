// Random histories of tasks with gates: after each step nothing runs that may not, and nothing waits that may run.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators_all.hpp>

#include <map>
#include <random>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

constexpr int forever = 1'000'000;

// What the store is to do, task by task.
struct gate_history : limit_fixture {
    enum class place { ready, running, retry, gone };
    struct known_task {
        submission_item item;
        std::vector<std::string> gates;
        place where = place::ready;
        claimed_task held{};
    };
    std::mt19937 dice;
    std::vector<known_task> tasks;
    // Slots outlive their tasks: of those that were cancelled.
    std::vector<claimed_task> orphans;
    std::map<std::string, int> held;     // by limit and key
    std::map<std::string, int> started;  // likewise, of limits of starts: they never open again
    std::map<std::string, limit_rule> rules;
    std::set<std::string> paused;
    const std::vector<std::string> queues{"default", "other"};
    const std::vector<std::string> names{"alone", "crm", "handler:h", "rate"};

    explicit gate_history(unsigned seed) : dice{seed} {}

    std::size_t roll(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>{0, below - 1}(dice);
    }

    std::vector<std::string> some_gates() {
        std::vector<std::string> gates;
        if (roll(5) == 0) return gates;
        if (roll(3) == 0) gates.push_back(running("alone"));
        if (roll(2) == 0) gates.push_back(both("crm"));
        if (roll(2) == 0)
            gates.push_back(running("handler:h", std::string(1, static_cast<char>('a' + roll(4)))));
        if (roll(6) == 0) gates.push_back(starts("rate", roll(2) == 0 ? "" : "k"));
        return gates;
    }
    static std::string in_one(const std::vector<std::string>& gates) {
        std::string all;
        for (const auto& one : gates) all += one;
        return all;
    }
    const limit_rule* rule_of(const std::string& gate) const {
        for (const auto& [name, rule] : rules) {
            if (limit_number(name) == gate.substr(1, 8)) return &rule;
        }
        return nullptr;
    }
    bool is_open(const std::string& gate) {
        const auto* rule = rule_of(gate);
        if (!rule) return true;
        const auto kind = gate.front();
        if (kind != 's' && rule->max_running && held[gate.substr(1)] >= *rule->max_running) return false;
        return kind == 'm' || !rule->rate || started[gate.substr(1)] < rule->rate->count;
    }
    bool may_start(const known_task& task) {
        return std::ranges::all_of(task.gates, [&](const auto& gate) { return is_open(gate); });
    }
    known_task* find(const task_id& id) {
        const auto at = std::ranges::find(tasks, id, [](const auto& one) { return one.item.id; });
        return at == tasks.end() ? nullptr : &*at;
    }
    known_task* some(place where) {
        std::vector<known_task*> all;
        for (auto& one : tasks) {
            if (one.where == where) all.push_back(&one);
        }
        return all.empty() ? nullptr : all[roll(all.size())];
    }

    void begin(known_task& task, const claimed_task& as) {
        CHECK(task.where == place::ready);
        for (const auto& gate : task.gates) {
            CHECK(is_open(gate));
            if (gate.front() != 's') ++held[gate.substr(1)];
            if (const auto* rule = rule_of(gate); gate.front() != 'm' && rule && rule->rate)
                ++started[gate.substr(1)];
        }
        task.where = place::running;
        task.held = as;
    }
    void free(const std::string& body) {
        for (auto all = gates_of(body); !all.empty(); all.remove_prefix(gate_width)) {
            if (all.front() != 's') --held[std::string{all.substr(1, gate_width - 1)}];
        }
    }

    // ---- steps ----
    void come() {
        const auto gates = some_gates();
        auto item = gated(in_one(gates), "[]", queues[roll(2)], static_cast<int>(roll(3)));
        submit(worker, item);
        tasks.push_back({item, gates});
    }
    void report_some() {
        auto* task = some(place::running);
        if (!task) return;
        const auto how = std::vector{report::kind::end, report::kind::end, report::kind::retry,
                                     report::kind::give_back}[roll(4)];
        const auto said = how == report::kind::end ? done(task->held) : of(task->held, how, 0ms);
        CHECK(work(worker, {said}).verdicts == std::vector{report_verdict::accepted});
        free(task->item.body);
        task->where = how == report::kind::end     ? place::gone
                      : how == report::kind::retry ? place::retry
                                                   : place::ready;
    }
    void report_orphan() {
        if (orphans.empty()) return;
        const auto task = orphans.back();
        orphans.pop_back();
        CHECK(work(worker, {done(task)}).verdicts == std::vector{report_verdict::lease_lost});
        free(task.body);
    }
    void cancel_some() {
        auto* task = some(roll(2) == 0 ? place::running : place::ready);
        if (!task) return;
        cancel(task->item.id);
        if (task->where == place::running) orphans.push_back(task->held);
        task->where = place::gone;
    }
    void remove_some() {
        auto* task = some(place::ready);
        if (!task) return;
        CHECK(await(io, worker->remove(task->item.id, outcome_of(state::cancelled))) ==
              remove_verdict::removed);
        task->where = place::gone;
    }
    void replace_some() {
        auto* task = some(place::ready);
        if (!task || decode_body(task->item.body).priority > 1) return;
        const auto found = await(io, worker->find(task->item.id));
        if (!found->notes.empty()) return;  // it has started before
        task->gates = some_gates();
        auto item = gated(in_one(task->gates), "[]", task->item.queue, static_cast<int>(roll(3)));
        item.id = task->item.id;
        item.conflict = on_conflict::replace;
        CHECK(submit(worker, item).verdict == submit_verdict::replaced);
        task->item = item;
    }
    void bring_back() {
        std::size_t due = 0;
        for (const auto& one : tasks) due += one.where == place::retry ? 1 : 0;
        if (due == 0) return;
        CHECK(promote(due, queues));
        for (auto& one : tasks) {
            if (one.where == place::retry) one.where = place::ready;
        }
    }
    void change_rule() {
        const auto& name = names[roll(names.size())];
        std::optional<limit_rule> rule;
        if (name == "rate") {
            // Once known, starts are counted from then on.
            if (rules.contains(name)) return;
            rule = never_more_than(static_cast<int>(1 + roll(4)), 24h, forever);
            rule->rate->burst = rule->rate->count;
        } else if (roll(4) > 0) {
            rule = at_most(static_cast<int>(roll(4)));
        }
        set(name, rule);
        rules.erase(name);
        if (rule) rules.emplace(name, *rule);
    }
    void pause_or_resume() {
        const auto& queue = queues[roll(2)];
        if (paused.erase(queue) > 0) {
            await(io, worker->resume(queue));
        } else if (roll(2) == 0) {
            await(io, worker->pause(queue));
            paused.insert(queue);
        }
    }
    void claim_some() {
        const auto& queue = queues[roll(2)];
        const auto limit = roll(3) == 0 ? std::size_t{50} : 1 + roll(3);
        const auto got = take(limit, queue);
        if (paused.contains(queue)) CHECK(got.empty());
        for (const auto& one : got) {
            auto* task = find(one.id);
            REQUIRE(task);
            CHECK(task->item.queue == queue);
            begin(*task, one);
        }
        if (got.size() == limit || paused.contains(queue)) return;
        for (const auto& one : tasks) {
            if (one.where == place::ready && one.item.queue == queue) CHECK_FALSE(may_start(one));
        }
    }
    void step() {
        switch (roll(12)) {
        case 0:
        case 1:
        case 2:
        case 3: return come();
        case 4:
        case 5: return report_some();
        case 6: return roll(2) == 0 ? report_orphan() : cancel_some();
        case 7: return roll(2) == 0 ? remove_some() : replace_some();
        case 8: return bring_back();
        case 9: return change_rule();
        case 10: return roll(3) == 0 ? pause_or_resume() : claim_some();
        default: return claim_some();
        }
    }
    // All end: nothing of their limits is left.
    void wind_up() {
        for (const auto& queue : queues) await(io, worker->resume(queue));
        paused.clear();
        for (const auto& name : names) set(name, std::nullopt);
        rules.clear();
        while (!orphans.empty()) report_orphan();
        bring_back();
        for (auto& one : tasks) {
            if (one.where == place::running) finish_one(one.held);
        }
        for (const auto& queue : queues) {
            for (const auto& one : take(10'000, queue)) finish_one(one);
            CHECK(queue_of(worker, queue).ready == 0);
        }
    }
};

}  // namespace

TEST_CASE("over random histories nothing runs that may not, and nothing that may run is forgotten") {
    const auto seed = GENERATE(range(1U, 13U));
    CAPTURE(seed);
    gate_history t{seed};
    for (int i = 0; i < 250; ++i) {
        CAPTURE(i);
        t.step();
        t.claim_some();
        if (i % 50 == 0) {
            for (const auto& one : t.check()) FAIL_CHECK(one.kind << ": " << one.words);
        }
    }
    t.wind_up();
    CHECK(t.check().empty());
    CHECK(t.keeps("groups", 0));
    CHECK(t.keeps("slots", 0));
}
