// What `errand` says of tasks that wait on the shelf.
#include "cli/office.hpp"
#include "cli/pty.hpp"
#include "support/backing.hpp"
#include "support/database_fixture.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace cli_test;
using Catch::Matchers::ContainsSubstring;

namespace {

errand::config shelved() {
    auto settings = errand::test::fresh_settings();
    settings.shelf = "sqlite://" + errand::test::fresh_database();
    return settings;
}

}  // namespace

TEST_CASE("errand shelf says how much waits there, and the other commands know of it") {
    office o{shelved()};
    const std::map<std::string, std::string> with{{"ERRAND_SHELF", o.app.settings().shelf}};
    const auto empty = o.errand({"shelf"}, {}, with);
    CHECK(empty.code == 0);
    CHECK_THAT(empty.out, ContainsSubstring("nothing waits on the shelf"));
    const auto first = o.submit(1, {.delay = 24h * 5});
    const auto second = o.submit(2, {.delay = 24h * 9});
    const auto told = o.errand({"shelf", "--json"}, {}, with);
    REQUIRE(told.code == 0);
    CHECK(told.json().at("tasks") == 2);
    CHECK(told.json().at("days").as_array().size() == 2);
    CHECK(o.errand({"show", first.id()}, {}, with).code == 0);
    CHECK_THAT(o.errand({"list", "delayed"}, {}, with).out, ContainsSubstring(second.id().substr(0, 8)));
    CHECK(o.errand({"cancel", first.id()}, {}, with).code == 0);
    CHECK(o.info(first).state == errand::state::cancelled);
    const auto left = o.errand({"shelf"}, {}, with);
    CHECK_THAT(left.out, ContainsSubstring("day"));
    CHECK_THAT(left.out, ContainsSubstring("1"));
}

TEST_CASE("an import shelves what is due far from now, each line once, however often it is killed") {
    office o{shelved()};
    constexpr std::size_t lines = 6000, soon_every = 10;
    const auto folder = errand::test::temporary_folder("import");
    const auto file = (folder / "far.jsonl").string();
    {
        std::ofstream out{file};
        for (std::size_t line = 0; line < lines; ++line) {
            out << R"({"handler":"chore","queue":"chores","args":[)" << line << ']';
            if (line % soon_every != 0) out << R"(,"delay_ms":)" << 24 * 3'600'000 * (1 + line % 3);
            out << "}\n";
        }
    }
    auto with = o.variables();
    with["ERRAND_SHELF"] = o.app.settings().shelf;
    const auto on_shelf = [&] { return o.run(o.app.inspect().shelf())->tasks; };
    const std::vector<std::string> words{"import", file, "--name", "n"};
    for (std::size_t kill = 1; kill <= 3; ++kill) {
        auto slow = words;
        slow.insert(slow.end(), {"--rate", "4000/s"});
        const errand::test::cli_process running{slow, with, {}};
        errand::test::eventually([&] { return on_shelf() >= kill * 1200; });
        running.signal(SIGKILL);
    }
    const auto got = o.errand(words, {}, {{"ERRAND_SHELF", o.app.settings().shelf}});
    CHECK(got.code == 0);
    CHECK(got.out == "imported 6000 lines: 6000 tasks accepted, 0 duplicates, 0 rejected\n");
    CHECK(on_shelf() == lines - lines / soon_every);
    CHECK(o.count(errand::state::ready) == lines / soon_every);
    // What may have left before it was killed it does not forget.
    auto db = errand::test::open_database(o.app, o.app.settings().shelf, {.install = false});
    const auto kept = o.run(db->query<std::int64_t>("SELECT count(*) FROM errand_shelf_arrived"));
    CHECK(kept.at(0) < static_cast<std::int64_t>(lines) / 2);
    std::filesystem::remove_all(folder);
}

TEST_CASE("errand shelf without a shelf says how one is named") {
    office o;
    const auto said = o.errand({"shelf"});
    CHECK(said.code == 2);
    CHECK_THAT(said.err, ContainsSubstring("ERRAND_SHELF"));
}
