// A program whose handlers cannot be meant ends before it has started anything, with a sentence that says what to do.
#include "fault/program.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using errand::test::holds_within;
using errand::test::program;

// With which status it ended, and what it said.
struct ended_program {
    explicit ended_program(std::vector<std::string> words, std::map<std::string, std::string> variables = {})
        : folder{errand::test::temporary_folder("misled")} {
        const auto output = (folder / "said").string();
        variables.insert({{"ERRAND_STORE", "sqlite::memory:"}, {"ERRAND_LOG_LEVEL", "error"}});
        program one{"misled", std::move(words), variables, output};
        REQUIRE(holds_within(std::chrono::minutes{1}, [&] { return one.ended().has_value(); }));
        status = *one.ended();
        std::ifstream file{output};
        said.assign(std::istreambuf_iterator<char>{file}, {});
    }
    ~ended_program() { std::filesystem::remove_all(folder); }
    ended_program(const ended_program&) = delete;
    ended_program& operator=(const ended_program&) = delete;

    std::filesystem::path folder;
    int status = -1;
    std::string said;
};

}  // namespace

TEST_CASE("a program with a zone on a machine without zone files does not start, and says what it needs") {
    const ended_program whole{{}};
    CHECK(whole.status == 0);
    CHECK(whole.said.ends_with("has started\n"));
    const ended_program without{{}, {{"TZDIR", "/nowhere"}}};
    CHECK(without.status == 1);
    CHECK(without.said ==
          "handler \"in_london\": policy .timezone = \"Europe/London\": there are no time zone files at "
          "/nowhere: install tzdata, or set TZDIR to where they are (UTC alone needs none)\n");
}

TEST_CASE("a program that would gather without an age or a quiet time does not start") {
    const ended_program endless{{"collect"}};
    CHECK(endless.status == 1);
    CHECK(endless.said ==
          "handler \"gathers\": policy .collect: needs .max_wait, .grace or both: else a bundle that is not "
          "full would never be run\n");
}

TEST_CASE(
    "a worker names variables that mean nothing, that nobody can submit to it, and once why it cannot start") {
    const ended_program misspelt{
        {"run"}, {{"ERRAND_CONCURENCY", "3"}, {"ERRAND_LOG_LEVEL", "warn"}, {"TZDIR", "/nowhere"}}};
    CHECK(misspelt.status == 1);
    INFO(misspelt.said);
    const auto times = [&](const std::string& part) {
        int count = 0;
        for (auto at = misspelt.said.find(part); at != std::string::npos;
             at = misspelt.said.find(part, at + 1))
            ++count;
        return count;
    };
    CHECK(times("warning  the variable ERRAND_CONCURENCY means nothing here; the nearest that does is "
                "ERRAND_CONCURRENCY\n") == 1);
    CHECK(
        times(
            "warning  tasks are kept in memory: no other program can submit any, and they end with this one; name a store "
            "with ERRAND_STORE, for example sqlite:///path/tasks.db\n") == 1);
    CHECK(times("critical the worker cannot start: handler \"in_london\": policy .timezone") == 1);
    CHECK(times("in_london") == 1);
}
