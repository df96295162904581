// Processes on one SQLite file wake each other. Here nobody looks at the file for an hour who was not woken.
#include "store/sqlite/doorbell.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstdlib>
#include <sys/inotify.h>
#include <unistd.h>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct looks {
    explicit looks(std::chrono::milliseconds latest) { sqlite::latest_look = latest; }
    ~looks() { sqlite::latest_look = before; }
    looks(const looks&) = delete;
    looks& operator=(const looks&) = delete;
    const std::chrono::milliseconds before = sqlite::latest_look;
};

struct shared_file : store_fixture {
    explicit shared_file(std::chrono::milliseconds latest = 1h)
        : store_fixture{std::make_unique<sqlite_backing>(false)}, every{latest} {}

    const std::string& path() { return static_cast<sqlite_backing&>(*behind).path(); }
    // Another process does it.
    void neighbour(const std::string& what) {
        const auto command = "timeout 60 " ERRAND_PROGRAMS_DIR "/neighbour 'sqlite://" + path() +
                             "?synchronous=normal' " + what;
        REQUIRE(std::system(command.c_str()) == 0);
    }

    looks every;
};

// Nobody of this user gets another one.
struct all_listeners {
    all_listeners() {
        constexpr std::size_t enough = 500;
        for (int one = 0; held.size() < enough && (one = ::inotify_init1(IN_CLOEXEC)) >= 0;)
            held.push_back(one);
    }
    ~all_listeners() {
        for (const int one : held) ::close(one);
    }
    all_listeners(const all_listeners&) = delete;
    all_listeners& operator=(const all_listeners&) = delete;
    std::vector<int> held;
};

}  // namespace

TEST_CASE("an idle worker hears of a task that another process submits to its file, without looking") {
    shared_file here;
    auto worker = here.join("worker");
    CHECK(here.claim(worker, 1).claimed.empty());
    here.neighbour(GENERATE("submit", "inside"));
    CHECK(here.until([&] { return worker.ear->wakes == 1; }));
    CHECK(here.claim(worker, 1).claimed.size() == 1);
    // And again, as long as it waits.
    CHECK(here.claim(worker, 1).claimed.empty());
    here.neighbour("submit");
    CHECK(here.until([&] { return worker.ear->wakes == 2; }));
}

TEST_CASE("who awaits a task hears that it ended in another process, without looking") {
    shared_file here;
    auto client = here.join("client");
    const auto item = item_of("[1]");
    here.submit(client, item);
    const std::vector<watched_task> watched{{item.id, 0}};
    CHECK(await(here.io, client->watch(watched)).ended.empty());
    here.neighbour("work");
    REQUIRE(here.until([&] { return client.ear->ended.size() == 1; }));
    CHECK(client.ear->ended[0].id == item.id);
}

TEST_CASE("a worker hears what another process has set of a handler, without looking") {
    shared_file here;
    auto worker = here.join("worker");
    CHECK(here.claim(worker, 1).claimed.empty());
    here.neighbour("configure");
    CHECK(here.until([&] { return worker.ear->settings == 1; }));
}

TEST_CASE("a task for which no knock was heard is found by a look") {
    shared_file here{50ms};
    auto worker = here.join("worker");
    await(here.io, worker->pause("default"));
    here.submit(worker, item_of("[1]"));
    CHECK(here.claim(worker, 1).claimed.empty());
    // Somebody who does not know how to knock lets it go on.
    static_cast<sqlite_backing&>(*here.behind)
        .ask("UPDATE errand_queue SET paused = NULL; UPDATE errand_name_space SET layout = layout + 1");
    CHECK(here.until([&] { return worker.ear->wakes == 1; }));
}

TEST_CASE("where the kernel has no listener left, the file is looked at all the time") {
    const all_listeners none_left;
    shared_file here;
    auto worker = here.join("worker");
    CHECK(here.claim(worker, 1).claimed.empty());
    here.neighbour("submit");
    CHECK(here.until([&] { return worker.ear->wakes == 1; }));
}

TEST_CASE("a doorbell hears nothing at a file that nobody has open") {
    const sqlite::doorbell bell{fresh_database()};
    CHECK_FALSE(bell.hears());
}
