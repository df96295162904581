// Where a worker's thread counts attempts: by the names under which their tasks were submitted.
#include "worker/attempt_counts.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <vector>

TEST_CASE("attempts of handlers, aliases and queues that take turns are each counted as their own",
          "[metrics]") {
    errand::task_meter meter;
    errand::attempt_counts counts{meter};
    constexpr std::uint64_t rounds = 3;
    // More than are remembered, and names that have their ends in common.
    std::vector<errand::known_handler> known(20);
    for (std::size_t i = 0; i < known.size(); ++i) known[i].name = "h" + std::to_string(i);
    const std::vector<std::string> queues{"", "q", "mail", "nail", "mails", "hourly-mails", "hourly_mails"};
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (const auto& one : known) {
            for (const auto& queue : queues) {
                counts.of(&one, queue, one.name)->start({});
                // Twice, so that the second is the one found last.
                counts.of(&one, queue, one.name)->start({});
                counts.of(nullptr, queue, one.name + ".before")->start({});
            }
        }
    }
    const auto all = meter.sum();
    CHECK(all.handlers.size() == known.size() * queues.size() * 2);
    CHECK(all.refused == 0);
    for (const auto& [name, cells] : all.handlers)
        CHECK(cells.started == (name.second.ends_with(".before") ? rounds : 2 * rounds));
}
