// Rows in and out, and a shelf that falls due beside other work.
#include "shelf.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <vector>

namespace shelved {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using bench::fail;
using bench::now_ns;
using bench::reading;

namespace {

constexpr auto all_there_is = std::chrono::days{29};
constexpr auto in_some_days = std::chrono::days{9};
constexpr auto between_looks = 5ms;
constexpr auto longest_without_progress = 2min;
// Until it is filled, on a machine that is slow at it, and workers stand.
constexpr std::size_t filled_a_second = 15'000;
constexpr auto until_workers_stand = 8s;
// So long before they are due they are brought by those who run them.
constexpr auto ahead_of_runs = 2s;

std::size_t on_shelf(errand::app& app) {
    const auto seen = app.block_on(app.inspect().shelf());
    return seen ? seen->tasks : 0;
}

std::vector<load::worker_process> hire(const arguments& how, const errand::config& settings) {
    load::count();  // which they share
    std::vector<load::worker_process> all;
    for (std::size_t at = 0; at < how.number("workers", 1); ++at) all.emplace_back(settings);
    return all;
}

// Other tasks, so many a second, whose ids follow on `behind`; as many as are due by now.
class lives {
public:
    lives(errand::app& app, std::size_t a_second, std::size_t behind)
        : to_{app.handler<load::nop>().with({.retention = errand::duration{0}})},
          a_second_{a_second},
          behind_{behind} {}

    errand::awaitable<void> catch_up(std::int64_t ns_since_begin, std::size_t most) {
        const auto wanted =
            std::min(most, static_cast<std::size_t>(static_cast<double>(a_second_) *
                                                    static_cast<double>(ns_since_begin) / 1e9));
        while (sent_ < wanted) {
            const auto items = load::next_items(behind_ + sent_, behind_ + wanted, load::in_a_bulk);
            const auto handles = co_await to_.perform_bulk(items);
            if (handles.size() != items.size()) fail("fewer handles than items");
            sent_ += items.size();
        }
    }
    std::size_t sent() const { return sent_; }

private:
    errand::proxy<load::nop> to_;
    std::size_t a_second_, behind_, sent_ = 0;
};

errand::awaitable<std::size_t> delayed_in_store(errand::app& app) {
    std::size_t count = 0;
    const auto queues = co_await app.inspect().queues();
    for (const auto& one : queues) count += one.count(errand::state::delayed);
    co_return count;
}

struct passage {
    reading from, to;
    std::size_t brought = 0;  // between them
    std::uint64_t lived = 0;
};

// From the first page that has come to the last.
errand::awaitable<passage> watch_them_come(errand::app& app, std::size_t tasks, lives& beside) {
    passage seen;
    std::size_t before = 0, last = 0;
    auto progress = now_ns();
    std::int64_t began = 0;
    asio::steady_timer pause{co_await asio::this_coro::executor};
    for (;;) {
        const auto there = co_await delayed_in_store(app);
        if (there > last) progress = now_ns();
        last = there;
        if (began == 0 && there > 0) {
            began = now_ns();
            seen.from = reading::now();
            before = there;
        }
        if (there >= tasks) break;
        if (now_ns() - progress > std::chrono::nanoseconds{longest_without_progress}.count())
            fail("only " + std::to_string(there) + " of " + std::to_string(tasks) +
                 " tasks came from the shelf");
        if (began != 0) co_await beside.catch_up(now_ns() - began, static_cast<std::size_t>(-1));
        pause.expires_after(between_looks);
        co_await pause.async_wait(asio::use_awaitable);
    }
    seen.to = reading::now();
    seen.brought = tasks - before;
    seen.lived = load::count().executed;
    co_return seen;
}

// From that time on, until there were as many as that.
errand::awaitable<reading> keep_pace(lives& with, std::size_t most, errand::time_point at) {
    asio::steady_timer pause{co_await asio::this_coro::executor};
    pause.expires_after(at - now());
    co_await pause.async_wait(asio::use_awaitable);
    const auto began = now_ns();
    const auto from = reading::now();
    while (with.sent() < most) {
        co_await with.catch_up(now_ns() - began, most);
        pause.expires_after(between_looks);
        co_await pause.async_wait(asio::use_awaitable);
    }
    co_return from;
}

}  // namespace

result in(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    errand::app app{settings(1s)};
    load::connect(app);
    on_shelf(app);
    const auto from = reading::now();
    app.block_on(fill(app, {.tasks = tasks,
                            .named = how.number("named", 0) != 0,
                            .first = now() + in_some_days,
                            .span = std::chrono::days{1},
                            .callers = how.number("callers", 4)}));
    const auto to = reading::now();
    if (on_shelf(app) != tasks) fail(std::to_string(on_shelf(app)) + " tasks are on the shelf");
    const auto bytes = static_cast<double>(bytes_on_disk(app));
    return result{}.set(tasks, from, to).set("bytes_per_row", bytes / static_cast<double>(tasks));
}

result out(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    auto workers = hire(how, settings(all_there_is));
    errand::app app{settings(1s)};
    lives beside{app, how.number("lives", 0), 0};
    const auto seen = app.block_on(watch_them_come(app, tasks, beside));
    if (seen.brought == 0) fail("all of them came at once: give it more tasks");
    load::count().expected = beside.sent();
    load::wait_for_all();
    for (auto& one : workers) one.stop();
    load::check_all(beside.sent());
    if (on_shelf(app) != 0) fail(std::to_string(on_shelf(app)) + " tasks are on the shelf still");
    return result{}
        .set(seen.brought, seen.from, seen.to)
        .set("lives_a_second", static_cast<double>(seen.lived) / (seen.to.seconds - seen.from.seconds));
}

result alone(const arguments& how) {
    const auto a_second = how.number("lives", 0);
    const auto others = a_second * how.number("seconds", 10);
    auto workers = hire(how, settings(ahead_of_runs));
    errand::app app{settings(ahead_of_runs)};
    on_shelf(app);
    load::count().expected = others;
    lives beside{app, a_second, 0};
    const auto begin = app.block_on(keep_pace(beside, others, now() + until_workers_stand));
    load::wait_for_all();
    for (auto& one : workers) one.stop();
    load::check_all(others);
    return result{}.set(others, begin, reading::now());
}

result due(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000), rate = how.number("rate", 10'000);
    const auto a_second = how.number("lives", 0);
    const auto span = std::chrono::milliseconds{tasks * 1000 / rate};
    auto workers = hire(how, settings(ahead_of_runs));
    errand::app app{settings(ahead_of_runs)};
    const auto first =
        now() + until_workers_stand + std::chrono::milliseconds{tasks * 1000 / filled_a_second};
    app.block_on(fill(app, {.tasks = tasks, .first = first, .span = span}));
    if (now() > first - ahead_of_runs) fail("it was not filled before it fell due");
    const auto others = a_second * static_cast<std::size_t>(span.count()) / 1000;
    load::count().expected = tasks + others;
    lives beside{app, a_second, tasks};
    const auto begin = app.block_on(keep_pace(beside, others, first));
    load::wait_for_all();
    const auto behind = now() - (first + span);
    for (auto& one : workers) one.stop();
    load::check_all(tasks + others);
    if (on_shelf(app) != 0) fail(std::to_string(on_shelf(app)) + " tasks are on the shelf still");
    const auto end = reading::now();
    return result{}
        .set(tasks + others, begin, end)
        .set("behind_s", std::max(0.0, static_cast<double>(behind.count()) / 1000));
}

}  // namespace shelved
