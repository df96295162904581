// A worker on many queues that claims for no other reason than that it was told to: whatever comes, it hears of it. Nobody helps
// here, as the worker's look every few seconds, promotion or a second worker would: what it is not told of stays for good.
#include "support/store_fixture.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// Claims by two lanes as worker/fetcher does.
struct sleeper final : store_listener, std::enable_shared_from_this<sleeper> {
    sleeper(boost::asio::io_context& on, store& in, std::vector<std::string> all, std::size_t room)
        : io{on}, of{in}, queues{std::move(all)}, slots{room} {}

    void woken() override {
        ++wakes;
        hungry = true;
        go_on();
    }
    void task_given(claimed_task task) override {
        hungry = true;
        ++wakes;
        keep(std::move(task));
        go_on();
    }

    void keep(claimed_task task) {
        // Without room it goes back.
        if (held + reserved >= slots) {
            reports.push_back(report_of(task, report::kind::give_back));
            return;
        }
        ++got;
        ++held;
        boost::asio::co_spawn(io, run(shared_from_this(), std::move(task)), boost::asio::detached);
    }

    // About as long as a call takes. Its slot is free before its report is sent.
    awaitable<void> run(std::shared_ptr<sleeper>, claimed_task task) {
        boost::asio::steady_timer end{io, std::chrono::microseconds{random() % 500}};
        co_await end.async_wait(boost::asio::use_awaitable);
        --held;
        reports.push_back(success_of(task, 0ms));
        go_on();
    }

    void go_on() {
        for (std::size_t lane = 0; lane < 2; ++lane) {
            const bool claims = hungry && held + reserved < slots;
            if (busy[lane] || (!claims && reports.empty())) continue;
            busy[lane] = true;
            boost::asio::co_spawn(io, call(shared_from_this(), lane), boost::asio::detached);
        }
    }

    awaitable<void> call(std::shared_ptr<sleeper>, std::size_t lane) {
        work_call with;
        with.lane = lane;
        with.reports = std::exchange(reports, {});
        if (hungry) with.claim.limit = slots - held - reserved;
        if (with.claim.limit > 0) with.claim.queues = queues;
        with.claim.takes_given = true;
        with.claim.keeps_queues = true;
        with.claim.trusts_wakes = true;
        const auto limit = with.claim.limit;
        const auto before = wakes;
        reserved += limit;
        auto answer = co_await of.work(with);
        reserved -= limit;
        for (auto& task : answer.claimed) keep(std::move(task));
        if (limit > 0) hungry = answer.claimed.size() >= limit || wakes != before;
        busy[lane] = false;
        go_on();
    }

    bool rests() const { return !busy[0] && !busy[1] && !hungry && held == 0 && reports.empty(); }

    boost::asio::io_context& io;
    store& of;
    std::vector<std::string> queues;
    std::size_t slots;
    std::size_t held = 0, reserved = 0;
    std::vector<report> reports;
    std::array<bool, 2> busy{};
    bool hungry = true;
    unsigned wakes = 0;
    std::size_t got = 0;
    std::mt19937 random{5};
};

awaitable<void> submit(store& in, std::size_t lane, std::vector<submission_item> items,
                       std::size_t& answers) {
    co_await in.submit(lane, items, submit_mode::each);
    ++answers;
}

// Tasks in bursts, in any of twelve queues, for workers with so many slots each.
void hear_of_all(store_fixture& here, std::size_t workers, std::size_t slots) {
    auto producer = here.join("p");
    std::vector<std::string> queues;
    for (int i = 0; i < 12; ++i) queues.push_back("q" + std::to_string(i));
    std::vector<member> members;
    std::vector<std::shared_ptr<sleeper>> all;
    for (std::size_t i = 0; i < workers; ++i) {
        members.push_back(here.join("w" + std::to_string(i)));
        all.push_back(std::make_shared<sleeper>(here.io, *members.back().of, queues, slots));
        members.back()->listen(all.back().get());
        all.back()->go_on();
    }
    std::size_t sent = 0;
    const auto all_is_done = [&] {
        std::size_t got = 0;
        for (const auto& one : all) got += one->got;
        return got == sent && std::ranges::all_of(all, [](const auto& one) { return one->rests(); });
    };
    REQUIRE(here.until(all_is_done));
    std::mt19937 random{static_cast<unsigned>(slots)};
    const auto draw = [&](std::size_t below) { return random() % below; };
    for (int burst = 0; burst < 400; ++burst) {
        INFO(workers << " workers, " << slots << " slots, burst " << burst);
        // All at the same time.
        std::size_t calls = 1 + draw(4), answers = 0;
        for (std::size_t lane = 0; lane < calls; ++lane) {
            std::vector<submission_item> items;
            for (auto n = draw(3) == 0 ? 1 + draw(20) : 1; n > 0; --n)
                items.push_back(item_of("x", queues[draw(queues.size())], draw(10) == 0 ? 5 : 0));
            sent += items.size();
            boost::asio::co_spawn(here.io, submit(*producer.of, lane, std::move(items), answers),
                                  boost::asio::detached);
        }
        REQUIRE(here.until([&] { return answers == calls; }));
        // Now and then the next ones come while they work.
        if (draw(3) != 0) REQUIRE(here.until(all_is_done));
    }
    REQUIRE(here.until(all_is_done));
    for (auto& one : members) one->listen(one.ear.get());
}

}  // namespace

TEST_CASE("a worker on many queues hears of each task, whatever comes while its claims are under way") {
    for (const std::size_t slots : {1U, 2U, 3U, 6U, 16U}) {
        store_fixture here;
        hear_of_all(here, 1, slots);
    }
}

TEST_CASE("of two workers on many queues one hears of each task") {
    for (const std::size_t slots : {3U, 8U}) {
        store_fixture here;
        hear_of_all(here, 2, slots);
    }
}
