// Stages as a store keeps them, for the tests of stores.
#pragma once

#include "core/stage_record.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

namespace errand::test {

inline stage_record record_of(const std::string& name, const std::string& result = "7") {
    return {name, 1, time_point{std::chrono::milliseconds{5}}, std::chrono::milliseconds{6}, result};
}

inline report_verdict keep(store_fixture& here, member& by, const claimed_task& task,
                           const stage_record& what) {
    return await(here.io, by->stage(task.id, task.claim, incarnation_of(task.body), encode(what)));
}

inline std::vector<std::string> stages_of(store_fixture& here, member& by, const claimed_task& task) {
    const auto got = await(here.io, by->stages(task.id, task.claim));
    CHECK(got.verdict == report_verdict::accepted);
    std::vector<std::string> names;
    for (const auto& one : decode_stages(got.records, incarnation_of(task.body))) names.push_back(one.name);
    return names;
}

// One with stages "a" and "b", claimed.
inline claimed_task with_stages(store_fixture& here, member& by, const submission_item& item) {
    here.submit(by, item);
    auto task = here.claim(by, 1).claimed.at(0);
    CHECK(keep(here, by, task, record_of("a")) == report_verdict::accepted);
    CHECK(keep(here, by, task, record_of("b")) == report_verdict::accepted);
    return task;
}

}  // namespace errand::test
