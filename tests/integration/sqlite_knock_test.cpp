// Processes on one SQLite file wake each other. Here nobody looks at the file for an hour who was not woken.
#include "store/sqlite/doorbell.hpp"
#include "store/sqlite/engine.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstdlib>
#include <filesystem>
#include <sys/inotify.h>
#include <unistd.h>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct shared_file : store_fixture {
    explicit shared_file(std::chrono::milliseconds latest = 1h)
        : store_fixture{std::make_unique<sqlite_backing>(false)},
          kept{sqlite::engine::of(settings("kept"), latest)} {}

    const std::string& path() { return static_cast<sqlite_backing&>(*behind).path(); }
    // Another process does it, and ends like that.
    int end_of_neighbour(const std::string& what) {
        const auto command = "timeout 60 " ERRAND_PROGRAMS_DIR "/neighbour 'sqlite://" + path() +
                             "?synchronous=normal' " + what;
        return std::system(command.c_str());
    }
    void neighbour(const std::string& what) { REQUIRE(end_of_neighbour(what) == 0); }
    // What there is beside the database, without its path.
    std::set<std::string> beside() {
        std::set<std::string> found;
        for (const auto& one :
             std::filesystem::directory_iterator{std::filesystem::path{path()}.parent_path()}) {
            if (one.path().string().starts_with(path() + "-"))
                found.insert(one.path().string().substr(path().size()));
        }
        return found;
    }

    // What all stores of this process share.
    std::shared_ptr<sqlite::engine> kept;
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

TEST_CASE("a process that is killed while it waits leaves nothing beside its file, and others go on") {
    shared_file here;
    auto worker = here.join("worker");
    CHECK(here.claim(worker, 1).claimed.empty());
    CHECK(here.end_of_neighbour("die") != 0);
    CHECK(here.beside() == std::set<std::string>{"-shm", "-wal"});
    here.neighbour("submit");
    CHECK(here.until([&] { return worker.ear->wakes == 1; }));
    CHECK(here.claim(worker, 1).claimed.size() == 1);
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
