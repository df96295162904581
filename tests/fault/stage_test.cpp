// A task of five stages whose worker is killed at every step: before, in and after each stage, and around its storing.
#include "core/task_id.hpp"
#include "fault/fleet.hpp"
#include "fault/stages.hpp"
#include "store/redis/script_set.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <signal.h>

using namespace fault_test;
using errand::test::program;
using errand::test::tcp_gate;
using task = errand::handle<std::int64_t>;

namespace {

std::vector<std::string> every_step() {
    std::vector<std::string> steps;
    for (int at = 1; at <= stages_in_all; ++at) {
        const auto number = std::to_string(at);
        for (const char* part : {"before", "in", "submitted", "awaited", "end", "lost", "after"}) {
            const bool of_child = part == std::string{"submitted"} || part == std::string{"awaited"};
            if (!of_child || at == stage_with_child) steps.push_back(part + number);
        }
    }
    return steps;
}

struct stage_fleet : fleet {
    // Redis knows the script of a stage: one that it has to be sent first would not come through a gate that is stalled.
    stage_fleet() : fleet{{.tcp = true}} {
        const auto& script = errand::redis::script_of(errand::redis::script_name::stage);
        server.command({"SCRIPT", "LOAD", script.text});
    }

    std::unique_ptr<program> start(const std::string& step) {
        const variables its{
            {"ERRAND_STORE", gate.url()}, {"ERRAND_LEASE", "30s"}, {"ERRAND_LOG_LEVEL", "off"}};
        return std::make_unique<program>("stager", std::vector<std::string>{book.path(), step}, its,
                                         file("stager.log"));
    }

    std::size_t bytes_stored(const task& of) {
        const auto id = errand::parse_task_id(of.id());
        return std::stoul(server.command({"HSTRLEN", "errand:{default.0}:stages", std::string{id->view()}}));
    }

    // Kills the worker once the store has the stage's result, and before the worker hears of it.
    void kill_unanswered(program& one, const task& of) {
        eventually([&] { return book.count("wait", one.pid()) == 1; });
        const auto before = bytes_stored(of);
        gate.stall(true);
        std::ofstream{book.path() + ".go"}.put('\n');
        eventually([&] { return bytes_stored(of) > before; });
        one.kill();
        gate.stall(false);
        std::filesystem::remove(book.path() + ".go");
    }

    // A worker takes the task and dies at this step.
    void die_at(const std::string& step, const task& of) {
        INFO("killed at " << step);
        const auto one = start(step);
        if (step.starts_with("lost")) kill_unanswered(*one, of);
        eventually([&] { return one->ended().has_value(); });
        REQUIRE(one->ended() == std::optional{-SIGKILL});
        let_leases_run_out();
    }

    // At once, and only those of the dead: a living worker that this machine holds up keeps its own.
    void let_leases_run_out() {
        server.command({"EVAL",
                        "for _, one in ipairs(redis.call('ZRANGE', KEYS[1], '-inf', '(+inf', 'BYSCORE')) do "
                        "redis.call('ZADD', KEYS[1], 1, one) end",
                        "1", "errand:{default.0}:leases"});
    }

    tcp_gate gate{server.port()};
};

// How often each stage of this task ran, and that none ran after its result was known to be stored.
std::vector<std::size_t> runs_of(journal& book, const task& of) {
    std::vector<std::size_t> runs(stages_in_all + 1);
    std::vector<bool> kept(stages_in_all + 1);
    for (const auto& one : book.entries()) {
        if (one.task != of.id()) continue;
        const auto at = static_cast<std::size_t>(one.what.back() - '0');
        if (one.what.starts_with("kept")) kept.at(at) = true;
        if (!one.what.starts_with("run")) continue;
        ++runs.at(at);
        CHECK_FALSE(kept.at(at));
    }
    return runs;
}

// All tasks that the store knows, the sentinel of the hash not counted.
std::size_t tasks_in_store(const fleet& all) {
    return std::stoul(all.server.command({"HLEN", "errand:{default.0}:tasks"})) - 1;
}

}  // namespace

TEST_CASE("a worker killed at any step of a task of stages loses only the stage under way") {
    stage_fleet all;
    errand::app app{all.settings()};
    std::int64_t seed = 0;
    const auto steps = every_step();
    for (const auto& step : steps) {
        const auto of = app.block_on(app.handler<five_stages>().perform_async(++seed));
        all.die_at(step, of);
        const auto other = all.start("");
        CHECK(app.block_on(of.result(patience)) == result_of_stages(seed));
        INFO("killed at " << step);
        const auto info = app.block_on(of.info());
        CHECK(info.attempt == 2);
        CHECK(info.stages.size() == stages_in_all);
        // It had begun and was not stored when the worker died.
        const bool under_way =
            !step.starts_with("before") && !step.starts_with("after") && !step.starts_with("lost");
        const auto runs = runs_of(all.book, of);
        for (std::size_t at = 1; at <= stages_in_all; ++at) {
            const bool cut = under_way && step.ends_with(std::to_string(at));
            CHECK(runs[at] == (cut ? 2U : 1U));
        }
        // Itself and one child, whenever the worker died.
        CHECK(tasks_in_store(all) == 2 * static_cast<std::size_t>(seed));
    }
    std::printf("fault: stages: killed at %zu steps, no stage ran after it was stored, one child each\n",
                steps.size());
}

TEST_CASE("a task of stages that loses a worker at every step in turn comes to its end") {
    stage_fleet all;
    errand::app app{all.settings()};
    const auto of = app.block_on(app.handler<five_stages>().perform_async(1));
    const auto steps = every_step();
    for (const auto& step : steps) all.die_at(step, of);
    const auto last = all.start("");
    CHECK(app.block_on(of.result(patience)) == result_of_stages(1));
    const auto runs = runs_of(all.book, of);
    for (std::size_t at = 1; at <= stages_in_all; ++at) {
        // In it, at its end, and when its answer was lost: that one is stored.
        CHECK(runs[at] == (at == stage_with_child ? 5U : 3U));
    }
    CHECK(tasks_in_store(all) == 2);
    CHECK(app.block_on(of.info()).attempt == static_cast<int>(steps.size()) + 1);
    std::printf("fault: stages: one task lost %zu workers in turn\n", steps.size());
}
