// Apps without a store of their own: their tasks are in memory, theirs alone, and end with them.
#include <errand/sqlite.hpp>

#include "app/unfinished.hpp"
#include "runtime/app_core.hpp"
#include "support/places.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using errand::test::test_app;

namespace memory_app {

struct doubles {
    errand::awaitable<int> perform(int number) { co_return 2 * number; }
};

struct foreign {
    errand::awaitable<void> perform();
};

}  // namespace memory_app

ERRAND_HANDLER(memory_app::doubles)
ERRAND_DECLARE_HANDLER(memory_app::foreign)

namespace {
using namespace memory_app;

errand::config without_store() {
    errand::config settings;
    settings.log_level = "off";
    return settings;
}

}  // namespace

TEST_CASE("an app without a store runs its tasks in memory") {
    test_app t{without_store()};
    CHECK(t.app.settings().store == "sqlite::memory:");
    t.start();
    CHECK(t.wait(t.run(t.app.handler<doubles>().perform_async(21))) == 42);
}

TEST_CASE("block_on takes a function, which may be a coroutine that captures") {
    test_app t{without_store()};
    t.start();
    const auto doubled = t.app.block_on([&, number = 4]() -> errand::awaitable<int> {
        auto h = co_await t.app.handler<doubles>().perform_async(number);
        co_return co_await h;
    });
    CHECK(doubled == 8);
    bool ran = false;
    t.app.block_on([&]() -> errand::awaitable<void> {
        ran = true;
        co_return;
    });
    CHECK(ran);
}

TEST_CASE("two apps in memory do not see each other's tasks") {
    test_app one{without_store()};
    test_app other{without_store()};
    const auto h = one.run(one.app.handler<doubles>().perform_async(1));
    CHECK(one.run(one.app.find(h.id())));
    CHECK_FALSE(other.run(other.app.find(h.id())));
    other.start();
    CHECK(one.info(h).state == errand::state::ready);
}

TEST_CASE("an app in memory refuses a task that nobody could ever run") {
    test_app t{without_store()};
    CHECK_THROWS_AS(t.run(t.app.handler<foreign>().perform_async()), errand::usage_error);
}

TEST_CASE("an app in memory knows how many tasks it takes with it") {
    test_app t{without_store()};
    auto& core = errand::detail::core_of(t.app);
    CHECK(errand::unfinished_in_memory(core) == 0);
    const auto first = t.run(t.app.handler<doubles>().perform_async(1));
    t.run(t.app.handler<doubles>().perform_in(1h, 2));
    CHECK(errand::unfinished_in_memory(core) == 2);
    t.start();
    t.wait(first);
    CHECK(errand::unfinished_in_memory(core) == 1);
    t.stop();
}

TEST_CASE(
    "a wrong configuration is the last that a program says which does nothing about it, and said once") {
    auto settings = without_store();
    settings.store = "http://nowhere";
    std::string sentence;
    try {
        const errand::app app{settings};
    } catch (const errand::usage_error& why) {
        sentence = why.what();
    }
    REQUIRE(!sentence.empty());

    std::array<int, 2> line{};
    REQUIRE(::pipe(line.data()) == 0);
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::dup2(line[1], STDERR_FILENO);
        ::signal(SIGABRT, SIG_DFL);
        ::prctl(PR_SET_DUMPABLE, 0);
        [&]() noexcept { const errand::app app{settings}; }();
        ::_exit(0);
    }
    ::close(line[1]);
    std::string said;
    std::array<char, 4096> part{};
    for (ssize_t got = 1; got > 0;) {
        got = ::read(line[0], part.data(), part.size());
        if (got > 0) said.append(part.data(), static_cast<std::size_t>(got));
    }
    ::close(line[0]);
    int end = 0;
    REQUIRE(::waitpid(child, &end, 0) == child);
    CHECK(WIFSIGNALED(end));
    INFO(said);
    const auto at = said.find(sentence);
    REQUIRE(at != said.npos);
    CHECK(said.substr(at) == sentence + '\n');
    CHECK(said.rfind(sentence) == at);
}

TEST_CASE("a database is held by its interface") {
    test_app t{without_store()};
    const auto folder = errand::test::temporary_folder("interface");
    {
        const std::unique_ptr<errand::database> db =
            std::make_unique<errand::sqlite::database>(t.app, "sqlite://" + (folder / "shop.db").string());
        CHECK(t.run(db->query<int>("SELECT $1 + 1", 6)) == std::vector{7});
    }
    std::filesystem::remove_all(folder);
}
