// Transactions a second. The worker begins when all have committed: what is measured is the process that commits, with
// what it delivers meanwhile.
#include "load/measure.hpp"
#include "load/submitting.hpp"
#include "load/tasks.hpp"
#include "measures.hpp"
#include "outbox/database_core.hpp"
#include "shop.hpp"

#include <boost/asio/this_coro.hpp>

#include <thread>

namespace commit {

using namespace std::chrono_literals;
using bench::arguments;
using bench::reading;
using bench::result;

namespace {

struct plan {
    std::size_t callers, tasks;
    work what;
    explicit plan(const arguments& how)
        : callers{how.number("callers", 1)},
          tasks{how.number("tasks", 1000)},
          what{how.number("tpcb", 0) != 0 ? work::tpcb : work::insert} {}
    // Those beyond the callers' own are for the delivery.
    std::size_t connections() const { return callers + 10; }
};

// Connections and prepared statements are there before the clock runs; the rows are not.
constexpr std::int64_t warm_up_id = -1;

// As a coroutine does that has a driver and a pool and nothing else: on the caller's loop, but for a driver that blocks, whose
// statements each go to a thread of its own.
errand::awaitable<void> order_alone(errand::detail::database_core& on, const shop& at, std::int64_t id,
                                    bool one_more) {
    auto& place = on.place_of(co_await boost::asio::this_coro::executor);
    auto taken = co_await on.run_at(place, [&] { return on.connections().take(place); });
    const auto run = [&](errand::sql::statement one) -> errand::awaitable<void> {
        co_await on.run_at(place, [&] { return taken.in->run(std::move(one.text), std::move(one.values)); });
    };
    co_await run({on.dialect().begin});
    for (auto& one : at.transaction(id)) co_await run(std::move(one));
    if (one_more) co_await run(at.one_more(id));
    co_await run({id > 0 ? on.dialect().commit : on.dialect().rollback});
    co_await on.run_at(place, [&]() -> errand::awaitable<void> {
        on.connections().give_back(std::move(taken), true);
        co_return;
    });
}

struct rolled_back {};

errand::awaitable<void> order_by_errand(errand::app& app, const shop& at, std::int64_t id, bool with_task) {
    co_await errand::transaction(at.database(), [&](auto& tx) -> errand::awaitable<void> {
        for (auto& one : at.transaction(id))
            co_await errand::detail::run_statement(tx.level(), std::move(one.text), std::move(one.values));
        if (with_task) co_await app.handler<load::nop>().perform_async(load::item{.id = id});
        if (id <= 0) throw rolled_back{};
    });
}

// Each caller once, at the same time: every connection is made.
template <class Call>
errand::awaitable<void> warm_up(std::size_t callers, Call one) {
    co_await load::from_callers(callers, callers, [&](std::int64_t number) -> errand::awaitable<void> {
        try {
            co_await one(warm_up_id - number);
        } catch (const rolled_back&) {
        }
    });
}

result by_errand(const arguments& how, bool with_task) {
    const plan of{how};
    errand::app app{load::over_socket()};
    shop at{app, of.what, of.connections()};
    const auto call = [&](std::int64_t id) { return order_by_errand(app, at, id, with_task); };
    app.block_on(warm_up(of.callers, call));
    const auto from = reading::now();
    app.block_on(load::from_callers(of.callers, of.tasks, call));
    const auto to = reading::now();
    at.check(of.tasks);
    if (!with_task) return result{}.set(of.tasks, from, to);
    while (at.left_in_outbox() > 0) std::this_thread::sleep_for(1ms);
    const auto struck = reading::now();
    load::count().expected = of.tasks;
    app.block_on(app.start());
    load::wait_for_all();
    app.block_on(app.stop());
    load::check_all(of.tasks);
    return result{}.set(of.tasks, from, to).set("outbox_empty_after", struck.seconds - to.seconds);
}

result by_driver(const arguments& how, bool one_more) {
    const plan of{how};
    errand::app app{load::over_socket()};
    shop at{app, of.what, of.connections()};
    auto& on = *at.database().core();
    const auto call = [&](std::int64_t id) { return order_alone(on, at, id, one_more); };
    app.block_on(warm_up(of.callers, call));
    const auto from = reading::now();
    app.block_on(load::from_callers(of.callers, of.tasks, call));
    const auto to = reading::now();
    at.check(of.tasks);
    return result{}.set(of.tasks, from, to);
}

}  // namespace

result bare(const arguments& how) { return by_errand(how, false); }
result with_task(const arguments& how) { return by_errand(how, true); }
result alone(const arguments& how) { return by_driver(how, false); }
result one_more(const arguments& how) { return by_driver(how, true); }

}  // namespace commit
