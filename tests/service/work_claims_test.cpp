// Programs over HTTP whose claims end, who wait, and who work beside others.
#include "service/programs.hpp"
#include "support/store_kind.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>

using Catch::Matchers::ContainsSubstring;
using errand::state;
using service_test::another_service;
using service_test::client;
using service_test::counter;
using service_test::foreign_task;
using service_test::id_of;
using service_test::is_lost;
using service_test::look;
using service_test::program;
using service_test::success;
namespace json = boost::json;

namespace {

errand::service_options room_for_one() {
    errand::service_options how;
    how.max_waiting = 1;
    return how;
}

void ask_and_wait(program& who, counter& t) {
    const auto body = who.claim_body(R"("wait_ms": 60000)");
    who.line().send("POST " + t.path("/work:claim") +
                    " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
}

// Of two that ask where one may wait, one is refused: then the other waits.
program& who_waits(program& a, program& b, counter& t) {
    ask_and_wait(a, t);
    ask_and_wait(b, t);
    auto& refused = client::first_answered(a.line(), b.line());
    CHECK(refused.receive().error_code() == "busy");
    return &refused == &a.line() ? b : a;
}

// The tasks of the two who wait when both are there at once: of three that ask where two may wait, one is refused.
std::vector<json::object> taken_at_once(counter& t, const std::array<std::string, 3>& names) {
    program a{t, names[0]};
    program b{t, names[1]};
    program c{t, names[2]};
    std::vector<program*> all{&a, &b, &c};
    for (auto* one : all) ask_and_wait(*one, t);
    auto& refused = client::first_answered({&a.line(), &b.line(), &c.line()});
    CHECK(refused.receive().error_code() == "busy");
    std::erase_if(all, [&](program* one) { return &one->line() == &refused; });
    auto at = t.connect();
    const auto plan = R"({"tasks": [)" + foreign_task + ", " + foreign_task + "]}";
    REQUIRE(at.ask("POST", t.path("/plans"), plan).status == 201);
    std::vector<json::object> tasks;
    for (auto* one : all) {
        const auto got = one->line().receive().json().at("tasks").as_array();
        REQUIRE(got.size() == 1);
        tasks.push_back(got.front().as_object());
        CHECK(one->report(tasks.back(), success).status == 200);
    }
    CHECK(id_of(tasks[0]) != id_of(tasks[1]));
    return tasks;
}

std::string claim_number(const json::object& task) {
    const std::string text{task.at("claim").as_string()};
    return text.substr(0, text.find('.'));
}

}  // namespace

// ---- claims that are over -----------------------------------------------------------------------------------------------

TEST_CASE("a task whose lease is over goes to another, and what the first one says counts no more",
          "[service]") {
    counter t;
    const auto id = t.submit(foreign_task);
    program slow{t, "slow"};
    const auto first = slow.claim_one(R"("lease_ms": 1000)");
    program quick{t, "quick"};
    const auto second = quick.claim_one();
    CHECK(second.at("id") == json::string_view{id});
    CHECK(second.at("attempt") == 2);
    is_lost(slow.report(first, success));
    is_lost(slow.say(first, ":extend"));
    is_lost(slow.say(first, ":progress", R"("done": 1)"));
    is_lost(slow.say(first, ":log", R"("lines": ["a"])"));
    is_lost(slow.say(first, ":stage", R"("name": "s")"));
    is_lost(slow.say(first, ":stages"));
    CHECK(t.task(id).state == state::working);
    CHECK(quick.report(second, R"("outcome": "success", "result": "quick")").status == 200);
    CHECK(look(t, id).at("result") == "quick");
}

TEST_CASE("a lease that is extended holds past its first end", "[service]") {
    counter t;
    program py{t};
    t.submit(foreign_task);
    auto kept = py.claim_one(R"("lease_ms": 1000)");
    auto got = py.say(kept, ":extend", R"("lease_ms": 3600000)");
    // Where the machine stood still for that long it was lost, and comes again.
    for (int i = 0; i < 2 && got.status == 409; ++i) {
        kept = py.claim_one(R"("wait_ms": 60000, "lease_ms": 1000)");
        got = py.say(kept, ":extend", R"("lease_ms": 3600000)");
    }
    CHECK(got.status == 200);
    CHECK(got.json().at("lease_until").as_string() > kept.at("lease_until").as_string());
    t.submit(foreign_task);
    const auto left = py.claim_one(R"("lease_ms": 1000)");
    // That one was taken later, and is over by now.
    const auto again = py.claim_one();
    CHECK(again.at("id") == left.at("id"));
    const auto body = R"({"tasks": [{"id": ")" + id_of(kept) + R"(", "claim": ")" +
                      std::string{kept.at("claim").as_string()} + R"("}, {"id": ")" + id_of(left) +
                      R"(", "claim": ")" + std::string{left.at("claim").as_string()} + R"("}, {}]})";
    const auto both = py.post("/work:extend", body);
    INFO(both.body);
    CHECK(both.status == 200);
    const auto document = both.json();
    CHECK(document.at("results").at(0).at("id") == kept.at("id"));
    CHECK(document.at("results").at(1).at("error").at("code") == "claim_lost");
    CHECK(document.at("results").at(2).at("error").at("path") == "tasks[2].id");
    CHECK(py.report(kept, success).status == 200);
}

TEST_CASE("who runs a task that is cancelled is told so by what it says next", "[service]") {
    counter t;
    const auto id = t.submit(foreign_task);
    program py{t};
    const auto task = py.claim_one();
    t.run(t.app.inspect().cancel(id));
    const auto got = py.say(task, ":extend");
    is_lost(got);
    CHECK_THAT(got.body, ContainsSubstring("cancelled"));
    is_lost(py.report(task, success));
    CHECK(t.task(id).state == state::cancelled);
}

TEST_CASE("another service takes what is said of a task, and a restarted one does", "[service]") {
    if (!errand::test::can(errand::test::capability::shared_by_apps)) return;
    counter t;
    t.submit(foreign_task);
    t.submit(foreign_task);
    program py{t};
    const auto first = py.claim_one();
    const auto second = py.claim_one();
    another_service other{t};
    program elsewhere{other.there};
    CHECK(elsewhere.say(first, ":extend").status == 200);
    CHECK(elsewhere.say(first, ":progress", R"("done": 0.5, "text": "half")").status == 200);
    CHECK(elsewhere.say(first, ":stage", R"("name": "s", "result": 1)").status == 200);
    CHECK(elsewhere.report(first, success).status == 200);
    CHECK(look(t, id_of(first)).at("progress_text") == "half");
    t.stop_service();
    CHECK(
        elsewhere.report(second, R"("outcome": "failure", "error": {"message": "no"})").json().at("state") ==
        "retry");
}

// ---- waiting ------------------------------------------------------------------------------------------------------------

TEST_CASE("who waits gets what comes, also what falls due, and others wait on", "[service]") {
    counter t;
    program a{t, "a"};
    program b{t, "b"};
    ask_and_wait(a, t);
    ask_and_wait(b, t);
    const auto at_once = t.submit(foreign_task);
    auto& first = client::first_answered(a.line(), b.line());
    CHECK(first.receive().json().at("tasks").at(0).at("id") == json::string_view{at_once});
    const auto later = t.submit(R"({"handler": "py_thing", "queue": "foreign", "delay_ms": 50})");
    auto& second = &first == &a.line() ? b.line() : a.line();
    CHECK(second.receive().json().at("tasks").at(0).at("id") == json::string_view{later});
    // Who waits in vain is told so.
    CHECK(a.claim(R"("wait_ms": 5)").empty());
}

TEST_CASE("each request has a claim of its own, also of one worker: none extends what another one took",
          "[service]") {
    errand::service_options how;
    how.max_waiting = 2;
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    counter t{how, settings};
    const auto tasks = taken_at_once(t, {"a", "a", "a"});
    CHECK(claim_number(tasks[0]) != claim_number(tasks[1]));
}

TEST_CASE("a client that hangs up while it waits takes nothing: the task goes to another as it is",
          "[service]") {
    counter t{room_for_one()};
    const auto far = t.submit(R"({"handler": "py_thing", "queue": "far", "delay_ms": 3600000})");
    program a{t, "a"};
    program b{t, "b"};
    auto& gone = who_waits(a, b, t);
    auto& there = &gone == &a ? b : a;
    gone.line().close();
    // Its place is free again.
    errand::test::eventually([&] {
        auto at = t.connect();
        return at.ask("GET", t.path("/tasks/" + far + "?wait_ms=1")).status == 200;
    });
    ask_and_wait(there, t);
    const auto id = t.submit(foreign_task);
    const auto got = there.line().receive().json();
    REQUIRE(got.at("tasks").as_array().size() == 1);
    CHECK(got.at("tasks").at(0).at("id") == json::string_view{id});
    CHECK(got.at("tasks").at(0).at("attempt") == 1);
}

TEST_CASE("what was taken for a client that has hung up goes back at once, without an attempt", "[service]") {
    counter t;
    const auto id = t.submit(foreign_task);
    program there{t, "there"};
    int status = -1;
    for (int i = 0; i < 5 && status != 0; ++i) {
        program gone{t, "gone"};
        const auto body = gone.claim_body(R"("lease_ms": 3600000)");
        gone.line().send_and_end(
            "POST " + t.path("/work:claim") +
            " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
        const auto got = gone.line().receive();
        status = got.status;
        // Where the machine stood still between the request and its end, the service had answered before it.
        if (status == 200 && !got.json().at("tasks").as_array().empty())
            there.report(got.json().at("tasks").at(0).as_object(), R"("outcome": "give_back")");
    }
    REQUIRE(status == 0);
    const auto task = there.claim_one();
    CHECK(task.at("id") == json::string_view{id});
    CHECK(task.at("attempt") == 1);
}

TEST_CASE("a service that stops tells who waits for tasks that there are none", "[service]") {
    counter t{room_for_one()};
    program a{t, "a"};
    program b{t, "b"};
    auto& waits = who_waits(a, b, t).line();
    t.stop_service();
    const auto got = waits.receive();
    CHECK(got.status == 200);
    CHECK(got.json().at("tasks").as_array().empty());
    CHECK(waits.ended());
}

// ---- beside C++ workers -------------------------------------------------------------------------------------------------

TEST_CASE("a program that names its handlers leaves the tasks of others to who knows them", "[service]") {
    counter t;
    const auto theirs = t.submit(R"({"handler": "parcel", "args": [5]})");
    const auto ours = t.submit(R"({"handler": "py_thing", "queue": "parcels"})");
    program py{t};
    const std::string which = R"("queues": {"parcels": 1}, "handlers": ["py_thing"], "limit": 10)";
    const auto got = py.claim(which);
    REQUIRE(got.size() == 1);
    CHECK(got.front().at("id") == json::string_view{ours});
    CHECK(py.report(got.front().as_object(), success).status == 200);
    CHECK(py.claim(which).empty());
    // A C++ worker that comes later takes what stood aside for it.
    t.start();
    errand::test::eventually([&] { return t.task(theirs).state == state::success; });
    CHECK(t.task(theirs).attempt == 1);
}

TEST_CASE("what a C++ worker does not know comes to the programs, whether they name it or not", "[service]") {
    for (const std::string handlers : {R"(, "handlers": ["py_thing"])", ""}) {
        INFO(handlers);
        counter t;
        t.start();
        const auto id = t.submit(R"({"handler": "py_thing", "queue": "parcels"})");
        errand::test::eventually([&] { return t.tasks_in(state::delayed) == 1; });
        program py{t};
        const auto task = py.claim_one(R"("queues": {"parcels": 1}, "wait_ms": 60000)" + handlers);
        CHECK(task.at("id") == json::string_view{id});
        CHECK(task.at("attempt") == 1);
        CHECK(py.report(task, success).json().at("state") == "success");
    }
}

TEST_CASE("while a handler is paused its tasks come to nobody, and then they do", "[service]") {
    for (const std::string handlers : {R"(, "handlers": ["py_thing"])", ""}) {
        INFO(handlers);
        counter t;
        t.run(t.app.configure("py_thing", {.paused = true}));
        const auto id = t.submit(foreign_task);
        program py{t};
        const auto which = R"("queues": {"foreign": 1})" + handlers;
        CHECK(py.claim(which).empty());
        errand::test::eventually([&] { return t.task(id).state == state::delayed; });
        t.run(t.app.configure("py_thing", {.max_retry = 7}));
        const auto task = py.claim_one(which + R"(, "wait_ms": 60000)");
        CHECK(task.at("id") == json::string_view{id});
        CHECK(task.at("max_retry") == 7);
    }
}

TEST_CASE("a task that waits for another is given out once that one was reported", "[service]") {
    counter t;
    const auto first = t.run(t.app.perform("py_thing", {1}, {.queue = "foreign"}));
    const auto second =
        t.submit(R"({"handler": "py_other", "queue": "foreign", "after": [")" + first.id() + R"("]})");
    program py{t};
    CHECK(py.report(py.claim_one(), R"("outcome": "success", "result": 42)").status == 200);
    // Nobody but the service is there to start it.
    const auto task = py.claim_one();
    CHECK(task.at("id") == json::string_view{second});
    CHECK(task.at("handler") == "py_other");
    CHECK(py.report(task, success).status == 200);
}

TEST_CASE("the service stands in the list of workers, with what is taken by way of it", "[service]") {
    counter t;
    t.start();
    const auto id = t.submit(foreign_task);
    program py{t};
    const auto task = py.claim_one(R"("queues": {"foreign": 1}, "handlers": ["py_thing"])");
    const auto stands_there = [&] {
        for (const auto& one : t.run(t.app.inspect().workers())) {
            if (one.queues != std::vector<std::string>{"foreign"} || one.running.size() != 1) continue;
            return one.running.front().id == id && one.handlers == std::vector<std::string>{"py_thing"};
        }
        return false;
    };
    errand::test::eventually(stands_there);
    // Beside the worker of the same process.
    errand::test::eventually([&] { return t.run(t.app.inspect().workers()).size() == 2; });
    CHECK(py.report(task, success).status == 200);
}

// ---- encryption -------------------------------------------------------------------------------------------------------------

TEST_CASE("a task that takes a result is handed out where its key is, and loses no attempt elsewhere",
          "[service][shared_by_apps]") {
    const std::string old_key = "old:" + std::string(64, '1');
    const std::string new_key = "new:" + std::string(64, '2');
    auto settings = errand::test::fresh_settings();
    settings.encryption_keys = old_key;
    std::atomic<int> waited{0};
    std::string why;
    counter before{{}, settings};
    settings.encryption_keys = new_key + "," + old_key;
    counter after{{}, settings};
    auto at = before.connect();
    const auto got =
        at.ask("POST", before.path("/plans"),
               R"({"tasks": [{"name": "a", "handler": "py_thing", "queue": "foreign", "args": [1]},
                                          {"handler": "py_thing", "queue": "foreign", "result_of": "a"}]})");
    REQUIRE(got.status == 201);
    const std::string id{got.json().at("tasks").at(1).at("id").as_string()};
    program knows{after, "knows"};
    CHECK(knows.report(knows.claim_one(), R"("outcome": "success", "result": "sum")").status == 200);
    before.app.on_event([&waited, &why, id](const errand::event& what) {
        if (what.kind != errand::event_kind::task_snoozed || what.task != id) return;
        why = what.text;
        ++waited;
    });
    program does_not{before, "does-not"};
    errand::test::eventually([&] { return before.task(id).state == state::ready; });
    CHECK(does_not.claim().empty());
    errand::test::eventually([&] { return waited == 1; });
    CHECK_THAT(why, ContainsSubstring("encrypted with the key new, which this program does not have"));
    const auto task = knows.claim_one();
    CHECK(task.at("id") == json::string_view{id});
    CHECK(task.at("attempt") == 1);
    CHECK(task.at("last_error").is_null());
    CHECK(task.at("args").at(0) == "sum");
}
