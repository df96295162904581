// Another process on a SQLite file, which does one thing and ends:
//   neighbour URL submit        submits a task
//   neighbour URL inside        the same, in a transaction of its own on the file
//   neighbour URL work          claims a task and ends it
//   neighbour URL configure     changes what is set of a handler
//   neighbour URL die           waits for a task, and is killed
#include "app/open_store.hpp"
#include "core/sqlite_url.hpp"
#include "store/inside.hpp"
#include "support/store_fixture.hpp"

#include <boost/asio/co_spawn.hpp>

#include <sqlite3.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

using namespace errand;

namespace {

void must(bool holds, const char* what) {
    if (!holds) throw std::runtime_error{what};
}

awaitable<void> submit(store& to) {
    const std::vector items{test::item_of("[1]")};
    const auto answers = co_await to.submit(0, items, submit_mode::each);
    must(answers.size() == 1, "it is not accepted");
}

awaitable<void> work(store& in) {
    work_call call;
    call.claim = {.queues = {"default"}, .limit = 1, .lease = std::chrono::seconds{30}};
    const auto got = co_await in.work(call);
    must(got.claimed.size() == 1, "there is no task");
    work_call over;
    over.reports = {test::success_of(got.claimed[0])};
    over.closed = {got.claimed[0].claim};
    const auto said = co_await in.work(over);
    must(said.verdicts == std::vector{report_verdict::accepted}, "its end is not accepted");
}

awaitable<void> configure(store& in) {
    const settings_step step{.handler = "test", .seen = 0, .record = std::string(24, 'x')};
    must(co_await in.set_settings(step), "it was not set");
}

awaitable<void> die(store& in) {
    work_call call;
    call.claim = {.queues = {"default"}, .limit = 1, .lease = std::chrono::seconds{30}};
    const auto got = co_await in.work(call);
    must(got.claimed.empty(), "there is a task");
    std::raise(SIGKILL);
}

void await(boost::asio::io_context& io, awaitable<void> what) {
    std::exception_ptr failed;
    boost::asio::co_spawn(io, std::move(what), [&](std::exception_ptr why) { failed = why; });
    io.restart();
    io.run();
    if (failed) std::rethrow_exception(failed);
}

void submit_inside(boost::asio::io_context& io, const store_settings& with) {
    sqlite_url url;
    must(read_sqlite_url(with.url, url).empty(), "the URL is wrong");
    sqlite3* raw = nullptr;
    must(sqlite3_open(url.path.c_str(), &raw) == SQLITE_OK, "the file cannot be opened");
    const std::shared_ptr<sqlite3> mine{raw, sqlite3_close};
    must(sqlite3_exec(raw, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK, "it is locked");
    const auto inside = open_inside(io, with, raw);
    await(io, submit(*inside));
    must(sqlite3_exec(raw, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK, "it cannot be committed");
    inside->committed();
}

}  // namespace

int main(int count, char** words) try {
    must(count == 3, "neighbour URL WHAT");
    const std::string what = words[2];
    boost::asio::io_context io{1};
    store_settings with;
    with.url = words[1];
    if (what == "inside") {
        submit_inside(io, with);
        return 0;
    }
    const auto opened = open_store(io, with);
    await(io, opened->open());
    await(io, what == "submit" ? submit(*opened)
              : what == "work" ? work(*opened)
              : what == "die"  ? die(*opened)
                               : configure(*opened));
    return 0;
} catch (const std::exception& why) {
    std::fprintf(stderr, "neighbour: %s\n", why.what());
    return 1;
}
