// The file of the jobs that an import could not bring over.
#include "cli/job_rejects.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using Catch::Matchers::ContainsSubstring;
using errand::cli::job_rejects;

namespace {

std::string bytes_in(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("a file that holds something else than what was rejected of there stays as it is", "[cli]") {
    const auto folder = errand::test::temporary_folder("rejects");
    const auto path = (folder / "rejects").string();
    const auto text = [&] { return bytes_in(path); };
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
        // Told again, also with another age, each stands there once; the one that was brought over does not.
        job_rejects again{path, here};
        again.flush();
        CHECK(text() == two);
        again.add("q", "1", "why", reject("1") + " later");
        again.brought("q", "2");
        again.flush();
        CHECK(text() == two);
        again.finish();
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

TEST_CASE("a job that is too large for its line is known again by the next import", "[cli]") {
    const auto folder = errand::test::temporary_folder("rejects");
    const auto path = (folder / "rejects").string();
    const auto large =
        R"({"attributes":{"a":")" + std::string(20'000, 'x') + R"("},"queue":"q","job_id":"1"})";
    for (int run = 0; run < 2; ++run) {
        job_rejects all{path, "there"};
        all.add("q", "1", "why", large);
        all.finish();
        CHECK_THAT(bytes_in(path), ContainsSubstring(R"("queue":"q","job_id":"1")"));
    }
    job_rejects last{path, "there"};
    last.brought("q", "1");
    last.finish();
    CHECK(bytes_in(path).empty());
    std::filesystem::remove_all(folder);
}

TEST_CASE("until an import ends all that earlier ones told of stands in its file, and then no other has that",
          "[cli]") {
    const auto folder = errand::test::temporary_folder("rejects");
    const auto file = folder / "file";
    // It stays a link.
    const auto link = folder / "link";
    std::filesystem::create_symlink(file, link);
    {
        job_rejects first{link.string(), "there"};
        first.add("q", "1", "why", "{}");
        first.add("q", "2", "why", "{}");
        first.finish();
    }
    const auto before = bytes_in(file);
    std::filesystem::permissions(file,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    {
        job_rejects killed{link.string(), "there"};
        killed.brought("q", "1");
        killed.add("q", "2", "another reason", "{}");
        killed.flush();
        CHECK(bytes_in(file).starts_with(before));
    }
    {
        // Of two lines the last one holds.
        job_rejects next{link.string(), "there"};
        next.add("q", "2", "another reason", "{}");
        next.finish();
        CHECK_THROWS_WITH((job_rejects{file.string(), "there"}), ContainsSubstring("another process"));
    }
    const auto after = bytes_in(file);
    CHECK(after.starts_with(before.substr(0, before.find('\n') + 1)));
    CHECK_THAT(after, ContainsSubstring("another reason"));
    CHECK(std::ranges::count(after, '\n') == 2);
    CHECK(std::filesystem::is_symlink(link));
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::others_read) ==
          std::filesystem::perms::none);
    CHECK(std::distance(std::filesystem::directory_iterator{folder}, {}) == 2);
    std::filesystem::remove_all(folder);
}
