// The file of the jobs that an import could not bring over.
#include "cli/job_rejects.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using Catch::Matchers::ContainsSubstring;
using errand::cli::job_rejects;

TEST_CASE("a file that holds something else than what was rejected of there stays as it is", "[cli]") {
    const auto folder = errand::test::temporary_folder("rejects");
    const auto path = (folder / "rejects").string();
    const auto text = [&] {
        std::ifstream in{path, std::ios::binary};
        return std::string{std::istreambuf_iterator<char>{in}, {}};
    };
    const auto reject = [](const std::string& id) { return R"({"queue":"q","job_id":")" + id + "\"}"; };
    const std::string here = "lmstfy://127.0.0.1:7777/n/q";
    {
        job_rejects first{path, here};
        first.add("q", "1", "why", reject("1"));
        first.add("q", "2", "why", reject("2"));
        first.flush();
        CHECK(first.count() == 2);
        CHECK(first.has("q", "1"));
    }
    const auto two = text();
    const auto one = two.substr(0, two.find('\n') + 1);
    for (const std::string& foreign : {std::string{"my notes\n"}, std::string{"my notes"},
                                       std::string{R"({"line":3,"reason":"of a file","text":"a,b"})"} + '\n',
                                       two + "mine\n", two + "mine"}) {
        std::ofstream{path, std::ios::binary} << foreign;
        CHECK_THROWS_WITH((job_rejects{path, here}), ContainsSubstring("holds something else"));
        CHECK(text() == foreign);
    }
    std::ofstream{path, std::ios::binary} << two;
    CHECK_THROWS_WITH((job_rejects{path, here + ",r"}), ContainsSubstring("holds something else"));
    {
        // Told again, each stands there once; the one that was brought over does not.
        job_rejects again{path, here};
        again.flush();
        CHECK(text() == two);
        again.add("q", "1", "why", reject("1"));
        again.brought("q", "2");
        again.flush();
        CHECK(text() == one);
        CHECK(again.count() == 1);
    }
    for (auto bytes = one.size(); bytes < two.size(); ++bytes) {
        std::ofstream{path, std::ios::binary} << two.substr(0, bytes);
        job_rejects torn{path, here};
        torn.add("q", "2", "why", reject("2"));
        torn.flush();
        REQUIRE(text() == two);
    }
    std::filesystem::remove_all(folder);
}
