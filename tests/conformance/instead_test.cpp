// A submission for whose sake another task ends: both in one step.
#include "support/ward.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct replaced_tasks : ward_on<store_fixture> {
    member by = join("by:1");

    // The task is as it is, or was never there.
    submission_item instead_of(const task_id& id, incarnation life, const std::string& queue = "default") {
        auto item = item_of("new", queue);
        item.instead_of =
            task_to_end{.id = id, .life = life, .outcome = outcome_of(state::cancelled, duration{0})};
        return item;
    }
    incarnation life_of(const task_id& id) {
        const auto found = await(io, worker->find(id));
        REQUIRE(found);
        return incarnation_of(found->body);
    }
    bool is_there(const task_id& id) { return await(io, worker->find(id)).has_value(); }
    std::vector<std::string> claimed() {
        std::vector<std::string> all;
        for (const auto& task : claim(by, 10).claimed) all.push_back(args_of(task));
        return all;
    }
};

const std::vector<std::string> only_new{"new"};

}  // namespace

TEST_CASE("a task is submitted and another one ends in one step, wherever that stands") {
    replaced_tasks t;
    const std::string where = GENERATE("ready", "urgent", "delayed", "aside", "waiting", "dead", "success");
    INFO(where);
    const auto old = where == "ready"     ? t.submit_ready()
                     : where == "urgent"  ? t.submit_ready(4)
                     : where == "delayed" ? t.submit_delayed()
                     : where == "aside"   ? t.put_aside()
                     : where == "waiting" ? t.wait_for(t.submit_delayed())
                                          : t.end(where == "dead" ? state::dead : state::success);
    const auto item = t.instead_of(old, t.life_of(old));
    CHECK(t.submit(t.by, item).verdict == submit_verdict::accepted);
    CHECK_FALSE(t.is_there(old));
    CHECK(t.state_of(t.worker, item.id) == state::ready);
    CHECK(t.check().empty());
    CHECK(t.claimed() == only_new);
}

TEST_CASE("who runs the task that ends is told, and what he reports does not count") {
    replaced_tasks t;
    const auto held = t.start();
    auto item = t.instead_of(held.id, incarnation_of(held.body), "other");
    item.delay = 1h;
    CHECK(t.submit(t.by, item).verdict == submit_verdict::accepted);
    CHECK_FALSE(t.is_there(held.id));
    CHECK(t.until([&] { return t.worker.ear->cancelled == std::vector{held.id}; }));
    CHECK(t.finish(t.worker, {success_of(held)}) == std::vector{report_verdict::lease_lost});
    CHECK(t.state_of(t.worker, item.id) == state::delayed);
    CHECK(t.check().empty());
}

TEST_CASE("in place of what is not there, or has another life, a task is only submitted") {
    replaced_tasks t;
    CHECK(t.submit(t.by, t.instead_of(new_task_id(1), 1)).verdict == submit_verdict::accepted);
    const auto other = t.submit_delayed();
    CHECK(t.submit(t.by, t.instead_of(other, t.life_of(other) + 1)).verdict == submit_verdict::accepted);
    CHECK(t.state_of(t.worker, other) == state::delayed);
    CHECK(t.claimed() == std::vector<std::string>{"new", "new"});
}

TEST_CASE("what is refused ends nothing, and what is there already does") {
    replaced_tasks t;
    const auto old = t.submit_delayed();
    const auto taken = t.submit_delayed();
    auto item = t.instead_of(old, t.life_of(old));
    item.id = taken;
    item.conflict = on_conflict::reject;
    CHECK(t.submit(t.by, item).verdict == submit_verdict::rejected);
    CHECK(t.submit_all(t.by, {item}, submit_mode::all_or_nothing).at(0).verdict == submit_verdict::rejected);
    CHECK(t.is_there(old));
    item.conflict = on_conflict::where_free;
    CHECK(t.submit_all(t.by, {item}, submit_mode::ask).at(0).verdict == submit_verdict::duplicate);
    CHECK(t.is_there(old));
    CHECK(t.submit_all(t.by, {item}, submit_mode::all_or_nothing).at(0).verdict == submit_verdict::duplicate);
    CHECK_FALSE(t.is_there(old));
    CHECK(t.state_of(t.worker, taken) == state::delayed);
    CHECK(t.check().empty());
}

TEST_CASE("of many that are submitted in one call each ends its own") {
    replaced_tasks t;
    const auto first = t.submit_ready(), second = t.submit_delayed();
    const auto answers =
        t.submit_all(t.by, {item_of("a"), t.instead_of(first, t.life_of(first)), item_of("b"), item_of("c"),
                            t.instead_of(second, t.life_of(second))});
    REQUIRE(answers.size() == 5);
    for (const auto& one : answers) CHECK(one.verdict == submit_verdict::accepted);
    CHECK_FALSE(t.is_there(first));
    CHECK_FALSE(t.is_there(second));
    CHECK(t.claimed() == std::vector<std::string>{"a", "new", "b", "c", "new"});
    CHECK(t.check().empty());
}
