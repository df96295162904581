// Two programs that work on the same queue: the old one does not know a handler that the fresh one does.
#pragma once

#include "support/limit_fixture.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace errand::test {

inline const std::vector<std::string> own_queues{"default"};

struct two_programs : limit_fixture {
    member old = join("old:1");
    member fresh = join("fresh:1");

    void put_aside(const claimed_task& task) {
        auto report = report_of(task, report::kind::aside);
        task_notes notes;
        notes.unknown_handler = 1;
        notes.snoozed = true;
        report.record = encode(notes);
        CHECK(finish(old, {report}) == std::vector{report_verdict::accepted});
    }
    // Claimed by the old worker, and put aside.
    task_id stranger(int priority = 0) {
        const auto item = item_of("[1]", "default", priority);
        submit(worker, item);
        const auto got = claim(old, 1).claimed;
        REQUIRE(got.size() == 1);
        put_aside(got[0]);
        return item.id;
    }
    // The same behind a limit, whose place is free again.
    task_id gated_stranger(const std::string& gates, const std::string& args = "[1]") {
        const auto id = submit_gated(gates, args);
        const auto got = claim(old, 1).claimed;
        REQUIRE(got.size() == 1);
        task_notes notes;
        notes.unknown_handler = 1;
        auto aside = of(got[0], report::kind::aside);
        aside.record = encode(notes);
        CHECK(finish(old, {aside}) == std::vector{report_verdict::accepted});
        return id;
    }
    std::string findings() {
        std::string all;
        for (const auto& one : check()) all += one.kind + ": " + one.words + "\n";
        return all;
    }
    // Idle, and known to answer to the handler.
    void waits_for_strangers(member& one) {
        await(io, one->beat(R"({"answers_to":["other","test"],"ear":"fresh:1"})", long_lease, {}));
        CHECK(claim(one, 1).claimed.empty());
        CHECK(adopt(one).tasks.empty());
    }
    adopt_answer adopt(member& by, std::size_t limit = 10, duration lease = long_lease,
                       std::vector<std::string> handlers = {"other", "test"}) {
        return await(io, by->adopt({own_queues, std::move(handlers), limit, lease}));
    }
    promote_answer promote() {
        return await(io, worker->promote(own_queues, 100, outcome_of(state::expired)));
    }
};

}  // namespace errand::test
