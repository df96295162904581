// How many run at once.
#include "limits/handlers.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <ranges>

using namespace limits_test;
using errand::test::eventually;

namespace {

std::vector<int> numbers(int count) {
    const auto all = std::views::iota(0, count);
    return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("no more than max_running run at once, and all run", "[concurrent]") {
    auto settings = errand::test::fresh_settings();
    settings.threads = 2;
    bench t{settings};
    t.start();
    t.all_end(t.run(t.app.handler<pair_of>().perform_bulk(numbers(100))));
    CHECK(t.in.most_at_once("pair") <= 2);
    CHECK(t.in.done("pair") == 100);
    eventually([&] { return t.limit("handler:pair_of").running == 0; });
}

TEST_CASE("several workers keep one limit together", "[shared_by_apps][concurrent]") {
    bench t;
    bench other{t.app.settings()};
    t.start();
    other.start();
    const auto handles = t.run(t.app.handler<read_crm>().perform_bulk(std::vector<std::tuple<>>(20)));
    eventually([&] { return t.in.now("crm") + other.in.now("crm") == 2; });
    t.in.release = other.in.release = true;
    t.all_end(handles);
    CHECK(t.in.done("crm") + other.in.done("crm") == 20);
}

TEST_CASE(
    "a limit lets tasks of each queue through, though their workers are apart and one always has more to do",
    "[shared_by_apps][concurrent]") {
    auto settings = errand::test::fresh_settings();
    settings.queues = {{"crowded", 1}};
    bench t{settings};
    settings = t.app.settings();
    settings.queues = {{"quiet", 1}};
    bench other{settings};
    const auto moody = t.app.handler<limits_test::moody>();
    constexpr std::size_t many = 1000;
    t.run(moody.with({.queue = "crowded"}).perform_bulk(std::vector<std::string>(many, "is well")));
    const auto few =
        t.run(moody.with({.queue = "quiet"}).perform_bulk(std::vector<std::string>(5, "is well")));
    t.start();
    other.start();
    for (const auto& one : few) CHECK(other.wait(one) == 1);
    CHECK(other.in.done("moody") == 5);
    CHECK(t.in.done("moody") < static_cast<int>(many));
}

TEST_CASE("a slot comes back when its attempt fails, dies, snoozes or succeeds") {
    bench t;
    const auto moody = t.app.handler<limits_test::moody>();
    std::vector<errand::handle<int>> handles;
    for (const auto* mood : {"snoozes", "fails once", "dies", "is well", "fails once", "dies", "is well"})
        handles.push_back(t.run(moody.perform_async(mood)));
    t.start();
    eventually([&] {
        return std::ranges::all_of(handles, [&](const auto& h) { return is_end(t.info(h).state); });
    });
    CHECK(t.in.most_at_once("moody") == 1);
    CHECK(t.in.done("moody") == 10);
    eventually([&] { return t.limit("handler:moody").running == 0; });
}

TEST_CASE("a slot comes back when its task is cancelled while it runs") {
    bench t;
    t.start();
    const auto first = t.run(t.app.handler<moody>().perform_async("lingers"));
    eventually([&] { return t.in.now("moody") == 1; });
    const auto second = t.run(t.app.handler<moody>().perform_async("is well"));
    CHECK(t.run(first.cancel()));
    CHECK(t.wait(second) == 1);
    CHECK(t.in.most_at_once("moody") == 1);
}

TEST_CASE("a task that is cancelled while it waits takes no slot with it") {
    bench t;
    t.start();
    const auto first = t.run(t.app.handler<single>().perform_async());
    eventually([&] { return t.in.now("single") == 1; });
    const auto second = t.run(t.app.handler<single>().perform_async());
    const auto third = t.run(t.app.handler<single>().perform_async());
    CHECK(t.run(second.cancel()));
    t.in.release = true;
    t.wait(first);
    t.wait(third);
    CHECK(t.in.done("single") == 2);
    CHECK(t.info(second).state == state::cancelled);
}

TEST_CASE("the slots of a worker that died come back") {
    bench t;
    const auto first = t.run(t.app.handler<single>().perform_async());
    const auto second = t.run(t.app.handler<single>().perform_async());
    boost::asio::io_context io{1};
    auto dying = errand::test::opened_store(io, t.app, "worker-that-dies");
    const std::vector<errand::named_limit> limits{{"handler:single", {.max_running = 1}}};
    errand::test::await(io, dying->declare_limits(limits));
    errand::work_call claim;
    claim.claim = {{"default"}, 2, 100ms};
    CHECK(errand::test::await(io, dying->work(claim)).claimed.size() == 1);
    CHECK(t.limit("handler:single").running == 1);
    t.in.release = true;
    t.start();
    t.wait(first);
    t.wait(second);
    CHECK(t.in.most_at_once("single") == 1);
    eventually([&] { return t.limit("handler:single").running == 0; });
}

TEST_CASE("handlers share a declared limit") {
    bench t;
    t.start();
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 5; ++i) {
        handles.push_back(t.run(t.app.handler<read_crm>().perform_async()));
        handles.push_back(t.run(t.app.handler<write_crm>().perform_async()));
    }
    eventually([&] { return t.in.now("crm") == 2; });
    const auto seen = t.limit("crm-api");
    CHECK(seen.running == 2);
    CHECK(seen.waiting == 8);
    CHECK(seen.declared == crm.rule());
    t.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("crm") == 2);
}

TEST_CASE("tasks of one key run one after the other in their order, beside those of other keys") {
    bench t;
    const auto visits = t.app.handler<visit>();
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 20; ++i) handles.push_back(t.run(visits.perform_async("anna", i)));
    handles.push_back(t.run(visits.perform_async("held", 0)));
    handles.push_back(t.run(visits.perform_async("bert", 0)));
    t.start();
    for (std::size_t i = 0; i < 20; ++i) t.wait(handles[i]);
    t.wait(handles.back());
    CHECK(t.info(handles[20]).state == state::working);
    t.in.release = true;
    t.wait(handles[20]);
    CHECK(t.in.most_at_once("anna") == 1);
    std::vector<std::string> of_anna;
    for (const auto& one : t.in.begun()) {
        if (one.starts_with("anna") && one != "anna") of_anna.push_back(one);
    }
    REQUIRE(of_anna.size() == 20);
    for (std::size_t i = 0; i < 20; ++i) CHECK(of_anna[i] == "anna" + std::to_string(i));
}

TEST_CASE("a task submitted by its wire name has the keys that its handler gives") {
    bench t;
    t.start();
    const auto first = t.run(t.app.perform("visit", {"held", 1}));
    eventually([&] { return t.in.now("held") == 1; });
    const auto second = t.run(t.app.perform("visit", {"held", 2}));
    const auto other = t.run(t.app.perform("visit", {"bert", 1}));
    t.wait(other);
    CHECK(t.info(second).state == state::ready);
    CHECK(t.info(second).blocked_by == std::vector<std::string>{"handler:visit (its key): 1 of 1 running"});
    t.in.release = true;
    t.wait(first);
    t.wait(second);
    CHECK(t.in.most_at_once("held") == 1);
    CHECK_THROWS_AS(t.run(t.app.perform("visit", {7})), errand::bad_data);
}

TEST_CASE("what a transaction holds back and what a schedule makes have their gates") {
    bench t;
    t.start();
    const auto first = t.run(t.app.handler<visit>().perform_async("held", 0));
    eventually([&] { return t.in.now("held") == 1; });
    std::vector<errand::handle<void>> held;
    t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> {
        held.push_back(co_await t.app.handler<visit>().perform_async("held", 1));
    }));
    const auto schedule = t.run(t.app.handler<visit>().every(1h, {}, "held", 2));
    const auto made = t.run(schedule.run_now());
    const auto fields = t.run(t.app.handler<visit>().perform_async("bert", 0));
    t.wait(fields);
    CHECK(t.info(held.at(0)).blocked_by.size() == 1);
    CHECK(t.info(made).blocked_by.size() == 1);
    t.in.release = true;
    t.wait(held.at(0));
    t.wait(made);
    CHECK(t.in.most_at_once("held") == 1);
}

TEST_CASE("other arguments may be of another key") {
    bench t;
    t.start();
    const auto first = t.run(t.app.handler<visit>().perform_async("held", 0));
    eventually([&] { return t.in.now("held") == 1; });
    const auto second = t.run(t.app.handler<visit>().perform_async("held", 1));
    CHECK(t.info(second).state == state::ready);
    CHECK(t.run(t.app.inspect().change(second.id(), {.args = boost::json::array{"bert", 1}})));
    t.wait(second);
    t.in.release = true;
    t.wait(first);
}
