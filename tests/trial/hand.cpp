// Worker and producer of the trial, to be killed and started again.
//   hand work JOURNAL LIMITS AGE [STEP TIMES]           dies when it comes to this step for the n-th time
//   hand produce JOURNAL SEED FIRST_NUMBER PER_SECOND STEADY SCHEDULES LIMITS   until SIGTERM; steady or not_steady: whether each of several
//                       shards gets tasks all the time; schedules or no_schedules
// LIMITS: limits or no_limits; whether it has the handlers that are under limits. AGE: newer or older; whether it has the newest
// handler.
// At `reported` the worker writes `held ID` and waits until the file JOURNAL.go.PID is there: the trial keeps the store's
// answers back and kills it then. On a SQLite file it dies by itself.
#include "runtime/app_core.hpp"
#include "support/bad_disk.hpp"
#include "support/task_journal.hpp"
#include "trial/chores.hpp"
#include "trial/last_commit.hpp"
#include "trial/limited.hpp"
#include "trial/lot.hpp"
#include "trial/novel.hpp"
#include "trial/producer.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace asio = boost::asio;
using errand::test::task_journal;
using trial::step;

namespace {

errand::awaitable<void> wait_to_be_let_go(const task_journal& book, const errand::task_context& task) {
    const auto go = book.path() + ".go." + std::to_string(::getpid());
    book.add("held", task);
    asio::steady_timer timer{co_await asio::this_coro::executor};
    while (!std::filesystem::exists(go)) {
        timer.expires_after(std::chrono::milliseconds{1});
        co_await timer.async_wait(asio::use_awaitable);
    }
}

errand::awaitable<void> meet_report(bool embedded, const task_journal& book,
                                    const errand::task_context& task) {
    if (!trial::is_due(step::reported)) co_return;
    if (embedded) co_return trial::die_with_next_report();
    co_await wait_to_be_let_go(book, task);
}

// How many writes one commit makes is left to chance.
void meet_write(const errand::task_context& task) {
    if (trial::is_due(step::writing))
        errand::test::bad_disk::die_at_write(1 + static_cast<int>(task.fence() % 7));
}

// That an attempt has left its handler, however it did.
struct slot_of {
    const task_journal& book;
    const errand::task_context& task;
    ~slot_of() { book.add("left", task); }
};

int work(const char* path, bool embedded, bool older) {
    errand::app app;
    auto& book = app.provide<task_journal>(std::string{path});
    app.around_perform([&book, embedded](errand::task_context& task,
                                         errand::next_step next) -> errand::awaitable<void> {
        book.add("started", task);
        const slot_of its{book, task};
        co_await next();
        trial::meet(step::handled);
        meet_write(task);
        co_await meet_report(embedded, book, task);
    });
    trial::strange_tasks strange{book};
    if (older) book.add("older", "-");
    errand::detail::core_of(app).events.subscribe([&](const errand::event& what) {
        book.hear(what);
        strange.hear(what);
        if (what.kind == errand::event_kind::task_claimed) trial::meet(step::claimed);
    });
    return app.run();
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// Whether the store is a SQLite file; then its disk is as the trial wants it.
bool prepare_embedded() {
    const std::string store = variable("ERRAND_STORE"), full = variable("ERRAND_TRIAL_DISK");
    if (!store.starts_with("sqlite:")) return false;
    errand::test::bad_disk::install();
    if (!full.empty()) errand::test::bad_disk::be_full_as(full);
    trial::watch_commits();
    return true;
}

}  // namespace

int main(int count, char** words) try {
    const std::string role = count > 1 ? words[1] : "";
    const bool embedded = prepare_embedded();
    const bool with_limits = count > 3 && words[role == "work" ? 3 : count - 1] == std::string{"limits"};
    if (with_limits) trial::take_limited_handlers();
    if (role == "work" && count == 7) trial::draw(trial::step_named(words[5]), std::stoi(words[6]));
    if (role == "work" && (count == 5 || count == 7)) {
        const bool older = words[4] == std::string{"older"};
        if (!older) trial::take_novel_handler();
        return work(words[2], embedded, older);
    }
    if (role != "produce" || count != 9) return 2;
    trial::producer its{words[2], static_cast<unsigned>(std::stoul(words[3])), std::stoi(words[4]),
                        std::stoi(words[5])};
    its.run({.steady = words[6] == std::string{"steady"},
             .schedules = words[7] == std::string{"schedules"},
             .limits = with_limits});
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "hand: %s\n", e.what());
    return 3;
}
