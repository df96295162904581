// What `errand new` writes, and what it refuses. That the project builds and works: tests/consumer/new_project.
#include <errand/error.hpp>

#include "cli/new_project.hpp"
#include "cli/run.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <fstream>

using Catch::Matchers::ContainsSubstring;
using errand::test::cli_process;
using errand::test::cli_result;

namespace new_test {

struct folder {
    std::filesystem::path path;

    folder() {
        std::string name = (std::filesystem::temp_directory_path() / "errand-new-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()));
        path = name;
    }
    ~folder() { std::filesystem::remove_all(path); }

    cli_result make(const std::string& name) const {
        return cli_process{{"new", name, "--in", path.string()}, {}, {}}.wait();
    }
};

}  // namespace new_test

using namespace new_test;

TEST_CASE("errand new writes a project in which its name and its version stand where they belong") {
    const folder in;
    const auto made = in.make("mail_shop2");
    CHECK(made.code == 0);
    CHECK(made.err.empty());
    std::size_t files = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator{in.path / "mail_shop2"}) {
        if (!file.is_regular_file()) continue;
        ++files;
        INFO(file.path());
        CHECK_THAT(made.out, ContainsSubstring(file.path().string() + '\n'));
        std::ifstream text{file.path()};
        const std::string all{std::istreambuf_iterator<char>{text}, {}};
        CHECK(!all.empty());
        CHECK_THAT(all, !ContainsSubstring("@name@") && !ContainsSubstring("@version@"));
    }
    CHECK(files == 14);
    CHECK(std::filesystem::exists(in.path / "mail_shop2/.github/workflows/build.yml"));
    CHECK(std::filesystem::exists(in.path / "mail_shop2/deploy/mail_shop2-worker.service"));
    std::ifstream text{in.path / "mail_shop2/src/handlers.hpp"};
    CHECK_THAT(std::string(std::istreambuf_iterator<char>{text}, {}),
               ContainsSubstring("mail_shop2_tasks::send_receipt"));
}

TEST_CASE("errand new leaves alone what is there") {
    const folder in;
    std::filesystem::create_directory(in.path / "shop");
    std::ofstream{in.path / "file"} << "mine";
    for (const auto* name : {"shop", "file"}) {
        const auto refused = in.make(name);
        CHECK(refused.code == 2);
        CHECK_THAT(refused.err,
                   ContainsSubstring("there is something called " + (in.path / name).string() +
                                     " already: choose another name, or another folder with --in"));
    }
    CHECK(std::filesystem::is_empty(in.path / "shop"));
    const auto nowhere = cli_process{{"new", "shop", "--in", (in.path / "none").string()}, {}, {}}.wait();
    CHECK(nowhere.code == 1);
    CHECK_THAT(nowhere.err, ContainsSubstring("cannot make the folder") && ContainsSubstring("No such file"));
}

TEST_CASE("errand new keeps nothing of a project that it cannot write") {
    const folder in;
    CHECK_THROWS(errand::cli::write_project(in.path / "shop", {{"a", "text"}, {"a/b", "a is no folder"}}));
    CHECK(!std::filesystem::exists(in.path / "shop"));
}

TEST_CASE("errand new refuses a name that C++ and CMake would refuse") {
    using errand::cli::check_project_name;
    for (const auto* name : {"shop", "s", "mail_shop", "shop2", "a23456789012345678901234567890"})
        CHECK_NOTHROW(check_project_name(name));
    // int is a keyword, and int_tasks is none.
    CHECK_NOTHROW(check_project_name("int"));
    for (const auto* name :
         {"", "2shop", "Shop", "mail-shop", "_shop", "shop_", "mail__shop", "../shop", "sh op",
          "b\xc3\xbc"
          "cher",
          "errand", "a234567890123456789012345678901"}) {
        INFO(name);
        CHECK_THROWS_AS(check_project_name(name), errand::usage_error);
    }
    const folder in;
    const auto refused = in.make("mail-shop");
    CHECK(refused.code == 2);
    CHECK_THAT(
        refused.err,
        ContainsSubstring("a project cannot be called \"mail-shop\": its name becomes part of C++ names"));
    CHECK(std::filesystem::is_empty(in.path));
}
