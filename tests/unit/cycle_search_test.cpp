#include "core/cycle_search.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace errand;

namespace {

using graph = std::map<task_id, std::vector<task_id>>;

task_id id_of_number(int number) {
    task_id id;
    id.bytes[15] = static_cast<unsigned char>(number);
    return id;
}

// Each task waits for some of the others.
graph random_graph(std::mt19937& chance, int tasks, int edges) {
    graph made;
    std::uniform_int_distribution any{1, tasks};
    for (int i = 1; i <= tasks; ++i) made[id_of_number(i)];
    for (int i = 0; i < edges; ++i) made[id_of_number(any(chance))].push_back(id_of_number(any(chance)));
    return made;
}

bool leads_to(const graph& in, const task_id& from, const task_id& to) {
    std::set<task_id> seen;
    std::vector<task_id> open{from};
    while (!open.empty()) {
        const auto at = open.back();
        open.pop_back();
        for (const auto& parent : in.at(at)) {
            if (parent == to) return true;
            if (seen.insert(parent).second) open.push_back(parent);
        }
    }
    return false;
}

bool is_cycle_of(const graph& in, const std::vector<task_id>& ids) {
    for (std::size_t at = 0; at < ids.size(); ++at) {
        const auto& next = ids[(at + 1) % ids.size()];
        if (std::ranges::find(in.at(ids[at]), next) == in.at(ids[at]).end()) return false;
    }
    return !ids.empty();
}

}  // namespace

TEST_CASE("a search finds a cycle through a task if there is one, and what it finds is one") {
    std::mt19937 chance{7};
    for (int round = 0; round < 500; ++round) {
        const auto all = random_graph(chance, 8, 3 + round % 12);
        for (const auto& [id, parents] : all) {
            std::size_t budget = 1000;
            const auto found =
                find_cycle(id, budget, [&](const task_id& at, std::size_t) { return all.at(at); });
            CHECK_FALSE(found.gave_up);
            REQUIRE(found.cycle.empty() != leads_to(all, id, id));
            if (found.cycle.empty()) continue;
            REQUIRE(found.cycle.front() == id);
            REQUIRE(is_cycle_of(all, found.cycle));
        }
    }
}

TEST_CASE("a search gives up when its budget is used, and never before") {
    graph chain;
    for (int i = 1; i <= 10; ++i) chain[id_of_number(i)] = {id_of_number(i + 1)};
    chain[id_of_number(11)] = {};
    const auto search = [&](std::size_t budget) {
        const auto found =
            find_cycle(id_of_number(1), budget, [&](const task_id& at, std::size_t) { return chain.at(at); });
        return std::pair{found.gave_up, budget};
    };
    CHECK(search(21) == std::pair{false, std::size_t{0}});
    CHECK(search(25) == std::pair{false, std::size_t{4}});
    CHECK(search(20) == std::pair{true, std::size_t{0}});
}

TEST_CASE("of tasks that are added together some of each cycle is found, and nothing else") {
    std::mt19937 chance{9};
    for (int round = 0; round < 500; ++round) {
        const auto all = random_graph(chance, 8, 3 + round % 12);
        added_tasks added;
        for (const auto& [id, parents] : all) added.add(id, parents);
        const auto found = added.cycles();
        for (const auto& [id, ids] : found) {
            REQUIRE(is_cycle_of(all, ids));
            REQUIRE(std::ranges::find(ids, id) != ids.end());
        }
        // Without those that were found there is none.
        auto rest = all;
        for (const auto& [id, ids] : found) rest[id].clear();
        for (const auto& [id, parents] : rest) REQUIRE_FALSE(leads_to(rest, id, id));
    }
}
