// Transactions a second. The worker begins when all have committed: what is measured is the process that commits, with
// what it delivers meanwhile.
#include "load/measure.hpp"
#include "load/submitting.hpp"
#include "load/tasks.hpp"
#include "measures.hpp"
#include "shop.hpp"
#include "transaction/database_core.hpp"

#include <thread>

namespace commit {

using namespace std::chrono_literals;
using bench::arguments;
using bench::reading;
using bench::result;

namespace {

struct plan {
    std::size_t callers, tasks;
    explicit plan(const arguments& how)
        : callers{how.number("callers", 1)}, tasks{how.number("tasks", 1000)} {}
};

// Connections and prepared statements are there before the clock runs; the rows are not.
constexpr std::int64_t warm_up_id = -1;

// At home: the coroutine never leaves the thread of the connections, as a program of its own would be.
errand::awaitable<void> order_alone(errand::detail::database_core& on, const shop& at, std::int64_t id) {
    auto taken = co_await on.connections().take();
    co_await taken.in->run(on.statements()["life.begin"], {});
    co_await taken.in->run(at.insert(), shop::order(id));
    const auto end = id > 0 ? "life.commit" : "life.rollback";
    co_await taken.in->run(on.statements()[end], {});
    on.connections().give_back(std::move(taken), true);
}

struct rolled_back {};

errand::awaitable<void> order_by_errand(errand::app& app, const shop& at, std::int64_t id, bool with_task) {
    co_await errand::transaction(at.database(), [&](auto& tx) -> errand::awaitable<void> {
        co_await errand::detail::run_statement(tx.level(), at.insert(), shop::order(id));
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
    shop at{app, of.callers};
    const auto call = [&](std::int64_t id) { return order_by_errand(app, at, id, with_task); };
    app.block_on(warm_up(of.callers, call));
    const auto from = reading::now();
    app.block_on(load::from_callers(of.callers, of.tasks, call));
    const auto to = reading::now();
    at.check_orders(of.tasks);
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

}  // namespace

result alone(const arguments& how) {
    const plan of{how};
    errand::app app{load::over_socket()};
    shop at{app, of.callers};
    auto& on = *at.database().core();
    const auto call = [&](std::int64_t id) { return order_alone(on, at, id); };
    app.block_on(on.run_home([&] { return warm_up(of.callers, call); }));
    const auto from = reading::now();
    app.block_on(on.run_home([&] { return load::from_callers(of.callers, of.tasks, call); }));
    const auto to = reading::now();
    at.check_orders(of.tasks);
    return result{}.set(of.tasks, from, to);
}

result bare(const arguments& how) { return by_errand(how, false); }
result with_task(const arguments& how) { return by_errand(how, true); }

}  // namespace commit
