// Several programs that change one list of tokens at the same time.
#include "cli/office.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using cli_test::office;
using errand::test::cli_process;
namespace web = errand::web;

namespace {

std::string list_text(const std::filesystem::path& file) {
    std::ifstream in{file};
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("tokens that are revoked and made at the same time are all revoked and made", "[cli]") {
    office t;
    const auto folder = errand::test::temporary_folder("tokens");
    const auto file = (folder / "tokens").string();
    constexpr int rounds = 15;
    std::string lines = "# kept\n";
    for (int i = 0; i < rounds; ++i) {
        for (const char* who : {"a", "b"})
            lines += web::token_line(who + std::to_string(i), {"view"}, "token");
    }
    std::ofstream{file} << lines;
    std::set<std::string> made;
    for (int i = 0; i < rounds; ++i) {
        const auto number = std::to_string(i);
        made.insert("c" + number);
        cli_process first{{"token", "a" + number, "--revoke", "--file", file}, t.variables(), {}};
        cli_process second{{"token", "b" + number, "--revoke", "--file", file}, t.variables(), {}};
        cli_process third{{"token", "c" + number, "--scope", "view", "--file", file}, t.variables(), {}};
        for (auto* one : {&first, &second, &third}) {
            const auto got = one->wait();
            INFO(got.err);
            CHECK(got.code == 0);
        }
    }
    std::set<std::string> left;
    for (const auto& one : web::read_token_list(list_text(file))) left.insert(one.name);
    CHECK(left == made);
    CHECK(list_text(file).starts_with("# kept\n"));
    // Nothing is left beside it.
    const std::filesystem::directory_iterator all{folder};
    CHECK(std::distance(begin(all), end(all)) == 1);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a token is revoked in the list that a link leads to, and no other link is followed", "[cli]") {
    office t;
    const auto folder = errand::test::temporary_folder("tokens");
    const auto list = folder / "tokens";
    std::ofstream{list} << web::token_line("ann", {"view"}, "token") + web::token_line("bob", {"view"}, "x");
    std::ofstream{folder / "other"} << "as it was";
    // Somebody who may write in the folder could wait for a name that is known beforehand.
    std::filesystem::create_symlink(folder / "other", folder / "tokens.new");
    std::filesystem::create_symlink(list, folder / "link");
    CHECK(t.errand({"token", "ann", "--revoke", "--file", (folder / "link").string()}).code == 0);
    CHECK(list_text(folder / "other") == "as it was");
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(list_text(list) == web::token_line("bob", {"view"}, "x"));
    std::filesystem::remove_all(folder);
}
