// What SQLite stores survive: full disks, calls that are given up, other processes on the file.
#include <errand/error.hpp>

#include "app/open_store.hpp"
#include "support/bad_disk.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

struct failing_file : store_fixture {
    failing_file() : store_fixture{std::make_unique<sqlite_backing>(false)} {}
    sqlite_backing& file() { return static_cast<sqlite_backing&>(*behind); }
};

struct disk_is_full {
    disk_is_full() { bad_disk::be_full(true); }
    ~disk_is_full() { bad_disk::be_full(false); }
};

}  // namespace

TEST_CASE("on a full disk a submission is refused at once, and nothing that was accepted is lost") {
    bad_disk::install();
    failing_file here;
    auto worker = here.join("w");
    const auto before = item_of("before");
    here.submit(worker, before);
    const auto refused = item_of("refused");
    {
        const disk_is_full now;
        CHECK_THROWS_WITH(here.submit(worker, refused), ContainsSubstring("no space left"));
        CHECK(here.state_of(worker, before.id) == state::ready);
    }
    CHECK_FALSE(await(here.io, worker->find(refused.id)));
    CHECK(here.submit(worker, refused).verdict == submit_verdict::accepted);
    CHECK(here.claim(worker, 5).claimed.size() == 2);
    CHECK(here.file().ask("PRAGMA integrity_check") == "ok");
}

TEST_CASE("on a full disk a worker's report waits for room") {
    bad_disk::install();
    failing_file here;
    auto with = here.settings("w");
    with.patience = std::nullopt;
    auto worker = here.join(with);
    const auto item = item_of("a");
    here.submit(worker, item);
    work_call call;
    call.reports = {success_of(here.claim(worker, 1).claimed.at(0))};
    std::optional<work_answer> got;
    bad_disk::be_full(true);
    boost::asio::co_spawn(here.io, worker->work(call),
                          [&](std::exception_ptr, work_answer answer) { got = std::move(answer); });
    // Looked at in vain, in calls of its own.
    for (int looks = 0; looks < 5; ++looks) CHECK(here.state_of(worker, item.id) == state::working);
    CHECK_FALSE(got);
    bad_disk::be_full(false);
    REQUIRE(here.until([&] { return got.has_value(); }));
    CHECK(got->verdicts == std::vector{report_verdict::accepted});
    CHECK(here.state_of(worker, item.id) == state::success);
}

TEST_CASE("who uses a store is told once that its disk is full, and once that there is room again") {
    bad_disk::install();
    failing_file here;
    auto worker = here.join("w");
    {
        const disk_is_full now;
        CHECK_THROWS(here.submit(worker, item_of("a")));
        CHECK_THROWS(here.submit(worker, item_of("b")));
    }
    REQUIRE(here.until([&] { return !here.troubles.empty(); }));
    here.submit(worker, item_of("c"));
    here.submit(worker, item_of("d"));
    REQUIRE(here.until([&] { return here.troubles.size() > 1; }));
    REQUIRE(here.troubles.size() == 2);
    CHECK_THAT(here.troubles[0], ContainsSubstring(here.file().path()) && ContainsSubstring("no space left"));
    CHECK_THAT(here.troubles[1], ContainsSubstring("written to again"));
}

TEST_CASE("who uses a store is told when others keep its file locked for long") {
    failing_file here;
    auto worker = here.join("w");
    here.file().hold(true);
    std::optional<bool> done;
    const std::vector items{item_of("a")};
    boost::asio::co_spawn(here.io, worker->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr why, const std::vector<submit_answer>&) { done = !why; });
    REQUIRE(here.until([&] { return !here.troubles.empty(); }));
    CHECK_THAT(here.troubles[0], ContainsSubstring("keeps the file locked"));
    here.file().hold(false);
    REQUIRE(here.until([&] { return here.troubles.size() > 1; }));
    REQUIRE(here.until([&] { return done.has_value(); }));
    CHECK(*done);
}

TEST_CASE("what only looks is answered while others keep the file locked, whatever waits to be written") {
    failing_file here;
    auto worker = here.join("w");
    const auto there = item_of("there"), waits = item_of("waits");
    here.submit(worker, there);
    here.file().hold(true);
    bool done = false;
    const std::vector items{waits};
    boost::asio::co_spawn(here.io, worker->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr why, const std::vector<submit_answer>&) { done = !why; });
    for (int looks = 0; looks < 10; ++looks) CHECK(here.state_of(worker, there.id) == state::ready);
    CHECK_FALSE(done);
    here.file().hold(false);
    REQUIRE(here.until([&] { return done; }));
    CHECK(here.state_of(worker, waits.id) == state::ready);
}

TEST_CASE("a store is opened when whoever keeps the file locked is done") {
    failing_file here;
    {
        auto made = here.join("made");
    }
    // Also to those who only read.
    here.file().ask("PRAGMA journal_mode = DELETE");
    here.file().hold(true, "BEGIN EXCLUSIVE");
    auto with = here.settings("w");
    member one;
    one.of = open_store(here.io, with);
    std::optional<bool> opened;
    boost::asio::co_spawn(here.io, one->open(), [&](std::exception_ptr why) { opened = !why; });
    REQUIRE(here.until([&] { return !here.troubles.empty(); }));
    CHECK_FALSE(opened);
    here.file().hold(false);
    REQUIRE(here.until([&] { return opened.has_value(); }));
    CHECK(*opened);
}

TEST_CASE("a page that is damaged is told of when it is read, and other tasks go on") {
    failing_file here;
    auto maker = here.join("maker");
    std::vector<submission_item> items;
    for (int i = 0; i < 2000; ++i) items.push_back(item_of("[\"" + std::string(500, 'x') + "\"]"));
    here.submit_all(maker, items);
    maker.of.reset();
    here.file().ask("PRAGMA wal_checkpoint(TRUNCATE)");
    const auto page = std::stol(here.file().ask("PRAGMA page_size"));
    const auto root =
        std::stol(here.file().ask("SELECT rootpage FROM sqlite_schema WHERE name = 'errand_body'"));
    std::fstream to{here.file().path(), std::ios::binary | std::ios::in | std::ios::out};
    to.seekp((root - 1) * page);
    to << std::string(static_cast<std::size_t>(page), '\x5a');
    to.close();
    auto worker = here.join("w");
    CHECK_THROWS_WITH(here.claim(worker, 1),
                      ContainsSubstring("it is damaged") && ContainsSubstring("backup"));
    CHECK_THROWS_WITH(await(here.io, worker->find(items[0].id)), ContainsSubstring("it is damaged"));
    // It was left as it is, and what does not touch the page is answered.
    CHECK(await(here.io, worker->workers()).empty());
}

TEST_CASE("of calls that wait together only the one at fault fails") {
    failing_file here;
    auto worker = here.join("w");
    auto broken = item_of("a");
    here.submit(worker, broken);
    report wrong = success_of(here.claim(worker, 1).claimed.at(0));
    wrong.record = "no record";
    work_call call;
    call.reports = {wrong};
    std::exception_ptr failed;
    boost::asio::co_spawn(here.io, worker->work(call),
                          [&](std::exception_ptr why, const work_answer&) { failed = why; });
    const auto good = item_of("b");
    CHECK(here.submit(worker, good).verdict == submit_verdict::accepted);
    REQUIRE(here.until([&] { return failed != nullptr; }));
    CHECK_THROWS_AS(std::rethrow_exception(failed), bad_data);
    CHECK(here.state_of(worker, good.id) == state::ready);
    CHECK(here.state_of(worker, broken.id) == state::working);
}

TEST_CASE("a call whose store is closed ends with an error, and its store may go") {
    failing_file here;
    auto worker = here.join("w");
    const auto items = std::vector<submission_item>(100, item_of("a"));
    int ended = 0;
    for (int i = 0; i < 20; ++i) {
        boost::asio::co_spawn(here.io, worker->submit(0, items, submit_mode::each),
                              [&](std::exception_ptr, const std::vector<submit_answer>&) { ++ended; });
    }
    here.io.poll();
    worker->close();
    REQUIRE(here.until([&] { return ended == 20; }));
    CHECK_THROWS_WITH(here.submit(worker, item_of("b")), ContainsSubstring("the store was closed"));
}
