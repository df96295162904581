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

struct desk {
    std::filesystem::path folder = errand::test::temporary_folder("import");
    ~desk() { std::filesystem::remove_all(folder); }

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
    const desk t;
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
    const desk t;
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
