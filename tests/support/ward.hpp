// A namespace for check-ups to look at, and what they find in it.
#pragma once

#include "core/record.hpp"
#include "support/store_fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace errand::test {

// A namespace in which something of everything is, without workers of its own.
template <class Fixture>
struct ward_on : Fixture {
    using Fixture::claim, Fixture::finish, Fixture::io, Fixture::submit;
    member worker = Fixture::join("w");

    std::string id_text(const task_id& id) const { return std::string{id.view()}; }
    task_id submit_ready(int priority = 0) {
        const auto item = item_of("[1]", "default", priority);
        submit(worker, item);
        return item.id;
    }
    task_id submit_delayed() {
        auto item = item_of("[1]");
        item.delay = std::chrono::hours{1};
        submit(worker, item);
        return item.id;
    }
    claimed_task start() {
        submit_ready(9);
        return claim(worker, 1).claimed.at(0);
    }
    task_id end(state as) {
        const auto task = start();
        auto over = report_of(task, report::kind::end);
        over.ended_as = as;
        over.retention = std::chrono::hours{1};
        task_outcome outcome;
        outcome.ended_as = as;
        outcome.retention = std::chrono::hours{1};
        outcome.attempts = 1;
        const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
        over.record = encode_end(outcome, time_point{now}, task.body);
        finish(worker, {over});
        return task.id;
    }
    // Claimed by a worker that does not know its handler.
    task_id put_aside(int priority = 0) {
        const auto id = submit_ready(priority);
        for (const auto& task : claim(worker, 1).claimed) {
            auto aside = report_of(task, report::kind::aside);
            task_notes notes;
            notes.unknown_handler = 1;
            aside.record = encode(notes);
            finish(worker, {aside});
        }
        return id;
    }
    task_id wait_for(const task_id& parent) {
        auto item = item_of("[1]");
        item.after = {{parent}};
        auto body = decode_body(item.body);
        body.after = {parent};
        item.body = encode(body);
        submit(worker, item);
        return item.id;
    }

    // What stands aside.
    std::vector<claimed_task> adopt() {
        const adopt_call call{.queues = {"default"}, .handlers = {"test"}, .limit = 10};
        return await(io, worker->adopt(call)).tasks;
    }

    std::vector<audit_finding> check(bool repair = false) {
        std::vector<audit_finding> all;
        const auto audit = worker->audit(repair);
        for (bool more = true; more;) {
            const auto step = await(io, audit->next());
            more = step.more;
            all.insert(all.end(), step.findings.begin(), step.findings.end());
        }
        return all;
    }
    // The damage is found as what it is, repaired, and not found again.
    void heals(const std::string& kind, const std::string& subject) {
        INFO(kind);
        const auto has = [&](const std::vector<audit_finding>& all) {
            return std::ranges::any_of(all, [&](const audit_finding& one) {
                return one.kind == kind && (subject.empty() || one.subject == subject);
            });
        };
        CHECK(has(check()));
        const auto repaired = check(true);
        CHECK(has(repaired));
        CHECK(std::ranges::all_of(repaired, &audit_finding::repaired));
        check(true);  // what a repair brought to light
        CHECK(check().empty());
    }

    // Something of everything.
    void fill() {
        put_aside();
        submit_ready();
        submit_ready(3);
        submit_delayed();
        start();
        end(state::success);
        end(state::dead);
        wait_for(new_task_id(1));
        const auto gone = submit_ready();
        await(io, worker->cancel(gone, 0, outcome_of(state::cancelled)));
        await(io, worker->pause("default"));
    }
};

}  // namespace errand::test
