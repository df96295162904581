// Runs over many tasks that the console begins, and failures by their cause.
#include "service/console/causes.hpp"
#include "service/console_calls.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using service_test::client;
using service_test::counter;
using service_test::post;
using service_test::view;

namespace {

// Dead ones, by a worker that has them fail.
std::vector<std::string> dead_tasks(counter& t, std::size_t n) {
    std::vector<std::string> ids;
    std::vector<errand::handle<boost::json::value>> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(t.run(t.app.perform("parcel", {"broken"})));
    t.start();
    for (const auto& one : all) {
        errand::test::eventually([&] { return t.task(one.id()).state == errand::state::dead; });
        ids.push_back(one.id());
    }
    t.stop();
    return ids;
}

boost::json::object ended_run(client& at, const std::string& body) {
    const auto begun = post(at, "run", body);
    INFO(begun.body);
    REQUIRE(begun.status == 202);
    const std::string id{begun.json().at("id").as_string()};
    boost::json::object found;
    errand::test::eventually([&] {
        const auto document = view(at, "runs");
        for (const auto& one : document.at("runs").as_array()) {
            if (one.at("id").as_string() == id) found = one.as_object();
        }
        return found.at("state").as_string() != "running";
    });
    return found;
}

}  // namespace

TEST_CASE("a run counts first, does so many as it may, and can be stopped", "[service]") {
    counter t;
    auto at = t.connect();
    const auto ids = dead_tasks(t, 12);
    const auto counted = ended_run(at, R"({"action": "revive", "state": "dead", "dry_run": true})");
    CHECK(counted.at("matched") == 12);
    CHECK(t.tasks_in(errand::state::dead) == 12);
    const auto some =
        ended_run(at, R"({"action": "revive", "state": "dead", "queue": "parcels", "most": 5})");
    CHECK(some.at("changed") == 5);
    CHECK(some.at("state") == "done");
    CHECK(t.tasks_in(errand::state::dead) == 7);
    const auto slow = post(at, "run", R"({"action": "remove", "state": "dead", "rate": 1})");
    REQUIRE(slow.status == 202);
    const std::string id{slow.json().at("id").as_string()};
    errand::test::eventually([&] { return t.tasks_in(errand::state::dead) < 7; });
    CHECK(post(at, "stop", R"({"id": ")" + id + "\"}").json().at("changed") == true);
    boost::json::object run;
    errand::test::eventually([&] {
        run = view(at, "runs").at("runs").as_array().front().as_object();
        return run.at("state") == "stopped";
    });
    CHECK(run.at("changed").to_number<std::size_t>() == 7 - t.tasks_in(errand::state::dead));
    CHECK(t.tasks_in(errand::state::dead) > 0);
    CHECK(post(at, "stop", R"({"id": ")" + id + "\"}").json().at("changed") == false);
    CHECK(post(at, "run", R"({"action": "revive"})").status == 400);
    CHECK(post(at, "run", R"({"action": "explode", "state": "dead"})").status == 400);
}

TEST_CASE("failures are shown by their cause, and a run is of one cause alone", "[service]") {
    counter t;
    auto at = t.connect();
    const auto ids = dead_tasks(t, 3);
    const auto got = at.ask("GET", "/ui/api/failures?state=dead");
    REQUIRE(got.status == 200);
    const auto document = got.json();
    const auto& groups = document.at("groups").as_array();
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].at("count") == 3);
    const std::string cause{groups[0].at("cause").as_string()};
    CHECK_THAT(cause, ContainsSubstring("it fell down"));
    const auto order = [&](const std::string& of) {
        return ended_run(at, boost::json::serialize(boost::json::object{
                                 {"action", "revive"}, {"state", "dead"}, {"cause", of}, {"most", 2}}));
    };
    CHECK(order("another cause").at("changed") == 0);
    CHECK(order(cause).at("changed") == 2);
    CHECK(t.tasks_in(errand::state::dead) == 1);
}

TEST_CASE("errors have the same cause when they differ in ids and numbers alone", "[service]") {
    const auto cause = [](const std::string& text) {
        return errand::console::cause_of(errand::task_error{.type = "E", .message = text});
    };
    CHECK(cause("no route to 10.0.0.7:6379 after 30s") == cause("no route to 10.0.0.12:6380 after 5s"));
    CHECK(cause("order 0198c5d2-7c1e-7a30-9d44-6a0b8f1f2c11 is gone") ==
          cause("order abcdefab-ffff-7a30-abcd-6a0b8f1f2c12 is gone"));
    CHECK(cause("1,204 of 3 rows") == cause("7 of 3,000 rows"));
    CHECK(cause("disk is full") != cause("disk is gone"));
    CHECK(cause("disk is full") == "E: disk is full");
    CHECK(cause("code 12") == "E: code …");
    CHECK(cause(std::string(10'000, 'x')).size() < 300);
    CHECK(cause("") == "E: ");
}
