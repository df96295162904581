// Handlers whose objects hear of deaths.
#include "support/await.hpp"
#include "support/shards.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::state;
using errand::test::eventually;

TEMPLATE_TEST_CASE("an object of the handler hears of a death with its beans, and may wait and submit there",
                   "", mourner, mourner_on_pool) {
    bench t;
    t.start();
    const auto h = t.run(t.app.handler<TestType>().perform_async(7));
    CHECK(end_of(t, h).state == state::dead);
    CHECK(t.book.count("broken 7") == 1);
    eventually([&] { return t.book.count("7") == 1; });
}

TEMPLATE_TEST_CASE(
    "a call of on_dead that takes longer than the handler's timeout is told to stop, and the task is dead",
    "", mourner, mourner_on_pool) {
    bench t;
    t.start();
    const auto h = t.run(t.app.handler<TestType>().with({.timeout = 20ms}).perform_async(0));
    CHECK(end_of(t, h).state == state::dead);
    CHECK(t.book.kinds() == 1);  // it heard of it, and submitted nothing
    CHECK(t.book.count("0") == 0);
}

TEMPLATE_TEST_CASE("a worker that stops tells on_dead to stop, and says that the task is dead", "", mourner,
                   mourner_on_pool) {
    auto settings = errand::test::fresh_settings();
    settings.shutdown_grace = 10ms;
    bench t{settings};
    t.start();
    const auto h = t.run(t.app.handler<TestType>().perform_async(0));
    eventually([&] { return t.book.count("broken 0") == 1; });
    CHECK(t.info(h).state == state::working);
    t.stop();
    CHECK(t.info(h).state == state::dead);
}

namespace {

// A worker that takes what is there, and then gives no sign of life.
struct dying_worker : errand::test::second_store {
    explicit dying_worker(bench& t) : second_store{t.app, "worker-that-dies"} {
        errand::work_call claim;
        claim.claim = {{"default"}, 10, 100ms};
        eventually([&] {
            io.restart();
            return errand::test::await(io, of->work(claim)).claimed.empty();
        });
    }
};

struct over_at_last {
    over_at_last() { mourner_for_ever::over = false; }
    ~over_at_last() { mourner_for_ever::over = true; }
};

}  // namespace

TEMPLATE_TEST_CASE("an object of the handler hears of the death of what a dead worker had", "", mourner,
                   mourner_on_pool) {
    bench t;
    const auto one = t.run(t.app.handler<TestType>().perform_async(8));
    const auto slow = t.run(t.app.handler<TestType>().with({.timeout = 20ms}).perform_async(0));
    const dying_worker dying{t};
    t.start();
    CHECK(end_of(t, one).state == state::dead);
    CHECK(end_of(t, slow).state == state::dead);
    // Twice, of a machine that did nothing for as long as a lease.
    CHECK(t.book.count("lost") >= 2);
    eventually([&] { return t.book.count("8") >= 1; });
}

TEST_CASE("one who hears of a death for ever keeps no other from being dead") {
    auto settings = errand::test::fresh_settings();
    settings.shutdown_grace = 10ms;
    settings.blocking_threads = 2;
    bench t{settings};
    const over_at_last ends;
    const auto first = t.run(t.app.handler<mourner_for_ever>().with({.timeout = 20ms}).perform_async());
    const auto second = t.run(t.app.handler<mourner>().perform_async(8));
    const dying_worker dying{t};
    t.start();
    CHECK(end_of(t, first).state == state::dead);
    CHECK(end_of(t, second).state == state::dead);
    eventually([&] { return t.book.count("8") >= 1; });
}
