#include "trial/chores.hpp"

#include "support/task_journal.hpp"
#include "trial/lot.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>
#include <unistd.h>

namespace trial {

namespace asio = boost::asio;
using errand::awaitable;
using namespace std::chrono_literals;

namespace {

awaitable<void> rest(errand::duration length) {
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

awaitable<void> chore::toil(errand::duration length) {
    co_await rest(length / 2);
    meet(step::amid);
    co_await rest(length - length / 2);
}

awaitable<mark> chore::done(int number) {
    auto& self = co_await errand::this_task();
    book.add("ended", self.id(), number, self.fence());
    co_return mark{self.fence(), static_cast<int>(::getpid()), {}};
}

awaitable<mark> quick::perform(int number) {
    meet(step::amid);
    co_return co_await done(number);
}

awaitable<mark> slow::perform(int number, errand::duration length) {
    co_await toil(length);
    co_return co_await done(number);
}

awaitable<mark> failing::perform(int number, int failures) {
    co_await toil(2ms);
    if ((co_await errand::this_task()).attempt() <= failures) throw std::runtime_error{"the chore failed"};
    co_return co_await done(number);
}

awaitable<mark> snoozing::perform(int number) {
    co_await toil(1ms);
    // Of several shards each gives its own remainders by how many there are: never seven.
    if ((co_await errand::this_task()).fence() % 7 < 3) throw errand::snooze(short_pause);
    co_return co_await done(number);
}

awaitable<mark> broken::perform(int) {
    co_await toil(1ms);
    throw errand::discard{"the chore is broken"};
}

awaitable<mark> large::perform(int number, std::string text) {
    co_await toil(2ms);
    if ((co_await errand::this_task()).attempt() <= 2) throw std::runtime_error{std::string(40'000, 'e')};
    auto end = co_await done(number);
    end.padding = std::move(text);
    co_return end;
}

awaitable<mark> noisy::perform(int number) {
    auto& self = co_await errand::this_task();
    co_await self.progress(0.5, std::string(text_of_noisy, 'n'));
    co_await toil(1s);
    co_return co_await done(number);
}

awaitable<mark> staged::perform(int number) {
    auto& self = co_await errand::this_task();
    for (int at = 1; at <= stages_of_staged; ++at) {
        const auto name = "stage" + std::to_string(at);
        const auto run = [&]() -> awaitable<int> {
            book.add(name, self);
            co_await toil(5ms);
            co_return at;
        };
        if (co_await self.stage(name, run) != at) throw std::logic_error{"a stage gave another's result"};
        book.add("kept" + std::to_string(at), self);
    }
    co_return co_await done(number);
}

// Two lines say all of it: `tick:ID KEY RUNS TICK` and `told:ID KEY NUMBER MISSED`.
awaitable<mark> recurring::perform(int number, errand::duration length) {
    auto& self = co_await errand::this_task();
    const auto& of = *self.schedule();
    const auto tick = of.tick().time_since_epoch().count();
    book.add("tick:" + self.id(), of.key(), static_cast<int>(of.runs()), static_cast<std::uint64_t>(tick));
    book.add("told:" + self.id(), of.key(), number, static_cast<std::uint64_t>(of.missed()));
    co_await toil(length);
    if (self.attempt() == 1 && of.runs() % 5 == 0) throw std::runtime_error{"the run failed"};
    co_return co_await done(0);
}

}  // namespace trial

ERRAND_DEFINE_HANDLER(trial::quick)
ERRAND_DEFINE_HANDLER(trial::slow)
ERRAND_DEFINE_HANDLER(trial::failing)
ERRAND_DEFINE_HANDLER(trial::snoozing)
ERRAND_DEFINE_HANDLER(trial::broken)
ERRAND_DEFINE_HANDLER(trial::large)
ERRAND_DEFINE_HANDLER(trial::noisy)
ERRAND_DEFINE_HANDLER(trial::staged)
ERRAND_DEFINE_HANDLER(trial::recurring)
