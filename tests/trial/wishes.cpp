#include "trial/wishes.hpp"

#include "trial/words.hpp"

#include <functional>

namespace trial {
namespace {

void say_options(CLI::App& app, wishes& what) {
    const auto databases = CLI::IsMember({"sqlite", "sqlite-inside", "postgres", "mysql"});
    auto* outbox = app.add_option("--outbox", what.outbox,
                                  "a shop, its orders in this database and receipts by its outbox")
                       ->check(databases);
    auto* shelf =
        app.add_option("--shelf", what.shelf, "tasks that wait in this database until they fall due")
            ->check(CLI::IsMember({"sqlite", "postgres", "mysql"}))
            ->excludes(outbox);
    auto* piles = app.add_flag("--long", what.piles, "what the dead leave behind in Redis, and its sweeping")
                      ->excludes(outbox)
                      ->excludes(shelf);
    app.add_option("--things", what.things, "so many of each kind that piles up")
        ->needs(piles)
        ->check(CLI::Range(100, 1'000'000));
    app.add_flag("--untimed", what.untimed, "how long scripts take is not judged, nor is memory")
        ->needs(piles);
    const auto of_lots = [&](CLI::Option* one) { return one->excludes(piles); };
    of_lots(app.add_option("--seconds", what.seconds, "how long the load lasts"))
        ->check(CLI::Range(5, 86400));
    of_lots(app.add_option("--seed", what.seed, "of all that is drawn by lot"));
    const auto of_load = [&](CLI::Option* one) {
        return one->excludes(outbox)->excludes(shelf)->excludes(piles);
    };
    of_load(app.add_option("--store", what.store,
                           "redis or sqlite: on a server, or on a file that all processes share"))
        ->check(CLI::IsMember({"redis", "sqlite"}));
    of_load(app.add_flag("--no-mount", what.no_mount,
                         "sqlite: a full disk is only pretended, also when this user may mount one"));
    of_load(app.add_option("--rate", what.rate, "submissions a second of each producer"))
        ->check(CLI::Range(1, 10000));
    of_load(
        app.add_option(
            "--mode", what.mode,
            "always (alone, then lone, replicated and shards), cluster, sentinel, everysec, unconfirmed or "
            "rewound"))
        ->check(CLI::IsMember({"always", "alone", "lone", "replicated", "shards", "cluster", "sentinel",
                               "everysec", "unconfirmed", "rewound"}));
    of_load(app.add_option("--only", what.only, "these faults"))->delimiter(',');
    of_load(app.add_option("--pause", what.pause, "ms more between faults"))->check(CLI::Range(0, 60000));
    of_load(app.add_option("--patience", what.patience, "seconds at the end after which a task is stuck"))
        ->check(CLI::Range(1, 86400));
    of_load(app.add_flag("--no-lots", what.no_lots, "workers die only of faults, at no step drawn for them"));
    of_load(app.add_flag("--no-schedules", what.no_schedules, "no recurring tasks"));
    of_load(app.add_flag("--no-limits", what.no_limits, "no tasks under limits"));
    of_load(app.add_option("--shards", what.shards, "lone: on so many servers"))->check(CLI::Range(1, 8));
    of_load(app.add_option("--hand", what.hand, "the program of workers and producers"));
}

}  // namespace

std::optional<wishes> read_wishes(int count, char** words, int& status) {
    wishes what;
    CLI::App app{"Errand under fire: scripts/fault --help and docs/faults.md tell more"};
    say_options(app, what);
    if (!read_words(app, count, words, status)) return std::nullopt;
    return what;
}

}  // namespace trial
