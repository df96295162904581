// What an import reads from a file and writes to another one, without a store.
#include <errand/error.hpp>

#include "cli/import_file.hpp"
#include "cli/import_rejects.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

using Catch::Matchers::ContainsSubstring;
using errand::cli::import_file;
using errand::cli::import_rejects;

namespace {

struct import_folder {
    std::filesystem::path folder = errand::test::temporary_folder("import");
    ~import_folder() { std::filesystem::remove_all(folder); }

    std::string file(const std::string& name, std::string_view text) const {
        const auto path = (folder / name).string();
        std::ofstream{path, std::ios::binary} << text;
        return path;
    }
    std::string text(const std::string& name) const {
        std::ostringstream all;
        all << std::ifstream{folder / name, std::ios::binary}.rdbuf();
        return all.str();
    }
};

}  // namespace

TEST_CASE("a file of rejects is one import's alone, and nothing of it goes before that is taken over",
          "[cli]") {
    const import_folder t;
    const auto path = (t.folder / "rejects").string();
    {
        import_rejects first{path, std::nullopt};
        first.add(3, "why", "what");
        first.add(4, "why", "what");
        first.flush();
        const auto there = t.text("rejects");
        CHECK_THROWS_WITH((import_rejects{path, 3}), ContainsSubstring("another process writes to "));
        CHECK_THROWS_WITH((import_rejects{path, std::nullopt}),
                          ContainsSubstring("another process writes to "));
        CHECK(t.text("rejects") == there);
    }
    const auto there = t.text("rejects");
    import_rejects again{path, 3};
    CHECK(t.text("rejects") == there);
    again.drop_later();
    CHECK(t.text("rejects") == there.substr(0, there.find('\n') + 1));
    // What is no file is anybody's.
    const import_rejects one{"/dev/null", std::nullopt};
    CHECK_NOTHROW(import_rejects{"/dev/null", std::nullopt});
}

TEST_CASE("rejects of an import that goes on are taken up wherever the last line is torn", "[cli]") {
    const import_folder t;
    const auto path = (t.folder / "rejects").string();
    {
        import_rejects first{path, std::nullopt};
        for (const auto line : {3U, 5U, 9U}) first.add(line, "why", "what");
        first.flush();
    }
    const auto whole = t.text("rejects");
    const auto two = whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1);
    for (auto bytes = two.size(); bytes <= whole.size(); ++bytes) {
        t.file("rejects", std::string_view{whole}.substr(0, bytes));
        import_rejects again{path, 5};
        again.drop_later();
        REQUIRE(t.text("rejects") == two);
    }
    t.file("rejects", two + "[");
    CHECK_THROWS_WITH((import_rejects{path, 5}),
                      ContainsSubstring("holds something else than rejected lines"));
    CHECK(t.text("rejects") == two + "[");
}

TEST_CASE("a record of CSV that is too long is passed over to its end, with the line breaks in its quotes",
          "[cli]") {
    const import_folder t;
    constexpr std::size_t longest = 1000;
    std::string field;
    // More than is read before the first record.
    for (int i = 0; i < 300'000; ++i) field += "\"\"x\"\",1\r\n";
    import_file in{t.file("a.csv", "id,text\na,1\nb,\"" + field + "\"\nc,2\n"), true, longest};
    CHECK(in.next().value().fields == std::vector<std::string>{"a", "1"});
    const auto bad = in.next().value();
    CHECK(bad.line == 3);
    CHECK(bad.fields.empty());
    CHECK(bad.text.size() < longest);
    CHECK_THAT(bad.fault, ContainsSubstring("the record is longer than 1000 bytes"));
    const auto next = in.next().value();
    CHECK(next.fields == std::vector<std::string>{"c", "2"});
    CHECK(next.line == 300'004);
    CHECK_FALSE(in.next());

    import_file open{t.file("b.csv", "id,text\nb,\"" + field), true, longest};
    CHECK_THAT(open.next().value().fault, ContainsSubstring("is open up to the end of the file"));
    CHECK_FALSE(open.next());
    CHECK(open.lines() == 300'001);
}

TEST_CASE("of a file that grows while it is read nothing behind its former end is taken", "[cli]") {
    const import_folder t;
    std::string text;
    for (int i = 0; i < 300'000; ++i) text += "line\n";
    const std::string_view whole{text};
    const auto path = t.file("a", whole);
    import_file in{path, false, 1000};
    REQUIRE(in.next());
    std::ofstream{path, std::ios::binary | std::ios::app} << "more\nhalf";
    for (int i = 1; i < 299'999; ++i) REQUIRE(in.next().value().text == "line");
    CHECK_THROWS_WITH(in.next(), ContainsSubstring("has changed since: restore it"));
    CHECK_THROWS_WITH(in.next(), ContainsSubstring("has changed since"));
    CHECK(in.offset() == whole.size());

    // Also when all of it was read before, and its last line is half of one.
    const auto small = t.file("b", "one\ntw");
    import_file other{small, false, 1000};
    REQUIRE(other.next());
    std::ofstream{small, std::ios::binary | std::ios::app} << "o\n";
    CHECK_THROWS_WITH(other.next(), ContainsSubstring("has changed since"));
}
