// Many who ask for a task each at the same time: one call of the store looks for them, and each has what is his alone.
#include "service/programs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

using errand::state;
using service_test::client;
using service_test::counter;
using service_test::foreign_task;
using service_test::id_of;
using service_test::is_lost;
using service_test::is_same;
using service_test::program;
using service_test::success;
namespace json = boost::json;

namespace {

constexpr std::size_t many = 20;

std::string claim_of(const json::object& task) { return std::string{task.at("claim").as_string()}; }

std::string number_of(const json::object& task) {
    const auto claim = claim_of(task);
    return claim.substr(0, claim.find('.'));
}

void submit_many(counter& t, std::size_t count) {
    std::string tasks;
    for (std::size_t i = 0; i < count; ++i) tasks += (tasks.empty() ? "" : ", ") + foreign_task;
    auto at = t.connect();
    REQUIRE(at.ask("POST", t.path("/tasks:batch"), R"({"tasks": [)" + tasks + "]}").status == 200);
}

// What each of so many is answered who all ask before the first is listened to.
class crowd {
public:
    crowd(counter& t, std::size_t count, std::string_view more) {
        for (std::size_t i = 0; i < count; ++i) {
            auto& one = all_.emplace_back(std::make_unique<program>(t, "py-" + std::to_string(i)));
            const auto body = one->claim_body(more);
            one->line().send("POST " + t.path("/work:claim") + " HTTP/1.1\r\nHost: " + one->line().host() +
                             "\r\nContent-Type: application/json\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body);
        }
    }
    // One task of each, but for those who have hung up.
    std::vector<json::object> tasks() {
        std::vector<json::object> got;
        for (const auto& one : all_) {
            if (!one) continue;
            const auto answer = one->line().receive();
            INFO(answer.body);
            REQUIRE(answer.status == 200);
            const auto document = answer.json();
            const auto& some = document.at("tasks").as_array();
            REQUIRE(some.size() == 1);
            got.push_back(some.front().as_object());
        }
        return got;
    }
    program& at(std::size_t i) { return *all_[i]; }
    void hang_up(std::size_t i) { all_[i].reset(); }

private:
    std::vector<std::unique_ptr<program>> all_;
};

void check_all_have_their_own(const std::vector<json::object>& tasks) {
    std::set<std::string> ids;
    std::set<std::string> claims;
    for (const auto& one : tasks) {
        ids.insert(id_of(one));
        claims.insert(number_of(one));
    }
    CHECK(ids.size() == tasks.size());
    CHECK(claims.size() == tasks.size());
}

// Numbers of one call follow each other; what another call brings is that many microseconds later.
std::size_t calls_that_brought(const std::vector<json::object>& tasks) {
    std::set<std::uint64_t> numbers;
    for (const auto& one : tasks) numbers.insert(std::stoull(number_of(one)));
    return static_cast<std::size_t>(std::ranges::count_if(numbers, [&](std::uint64_t number) {
        return !numbers.contains(number - 1);
    }));
}

}  // namespace

TEST_CASE("of those who ask for a task each at the same time each has a claim of his own", "[service]") {
    counter t;
    submit_many(t, many);
    crowd all{t, many, {}};
    const auto tasks = all.tasks();
    check_all_have_their_own(tasks);
    // Whoever dies after he has shortened his lease is missed alone; the others hold theirs.
    const auto shorter = all.at(3).say(tasks[3], ":extend", R"("lease_ms": 1000)");
    CHECK(shorter.status == 200);
    program next{t, "next"};
    const auto again = next.claim_one();
    CHECK(id_of(again) == id_of(tasks[3]));
    CHECK(t.tasks_in(state::working, "foreign") == many);
    for (std::size_t i = 0; i < many; ++i) {
        const auto got = all.at(i).report(tasks[i], success);
        if (i == 3) {
            is_lost(got);
            continue;
        }
        is_same(got, all.at(i).report(tasks[i], success));
        is_same(got, next.report(tasks[i], success));
    }
    CHECK(next.report(again, success).status == 200);
    CHECK(t.tasks_in(state::success, "foreign") == many);
    CHECK(t.run(t.app.inspect().check()).found == 0);
}

TEST_CASE("those who wait for a task each get what comes, each under a claim of his own", "[service]") {
    counter t;
    crowd all{t, many, R"("wait_ms": 60000)"};
    // Whatever was sent before this has been read.
    CHECK(t.connect().ask("GET", "/healthz").status == 200);
    submit_many(t, many);
    const auto tasks = all.tasks();
    check_all_have_their_own(tasks);
    CHECK(calls_that_brought(tasks) < many / 2);
    // Who reports another one's task by his own claim reports nothing.
    auto wrong = tasks[0];
    wrong["claim"] = claim_of(tasks[1]);
    is_lost(all.at(1).report(wrong, success));
    for (std::size_t i = 0; i < many; ++i) CHECK(all.at(i).report(tasks[i], success).status == 200);
    CHECK(t.tasks_in(state::success, "foreign") == many);
}

TEST_CASE("what was for those who hang up while they wait with others comes to who asks next", "[service]") {
    counter t;
    crowd all{t, many, R"("wait_ms": 60000)"};
    all.hang_up(0);
    all.hang_up(7);
    submit_many(t, many);
    auto tasks = all.tasks();
    REQUIRE(tasks.size() == many - 2);
    program next{t, "next"};
    for (int i = 0; i < 2; ++i) {
        tasks.push_back(next.claim_one());
        CHECK(tasks.back().at("attempt") == 1);
    }
    check_all_have_their_own(tasks);
    for (const auto& one : tasks) CHECK(next.report(one, success).status == 200);
    CHECK(t.tasks_in(state::success, "foreign") == many);
    CHECK(t.run(t.app.inspect().check()).found == 0);
}

TEST_CASE("of what stands aside each of those who ask at the same time gets one", "[service]") {
    counter t;
    submit_many(t, 5);
    program other{t};
    CHECK(other.claim(R"("limit": 5, "handlers": ["another_thing"])").empty());
    errand::test::eventually([&] {
        return other.claim(R"("handlers": ["another_thing"])").empty() &&
               t.tasks_in(state::working, "foreign") == 0;
    });
    crowd all{t, 5, R"("handlers": ["py_thing"], "wait_ms": 60000)"};
    const auto tasks = all.tasks();
    check_all_have_their_own(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) CHECK(all.at(i).report(tasks[i], success).status == 200);
    CHECK(t.tasks_in(state::success, "foreign") == 5);
    CHECK(t.run(t.app.inspect().check()).found == 0);
}
