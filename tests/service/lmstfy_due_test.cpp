// Jobs of lmstfy's API that fall due where nobody waits for them, and keys of publications.
#include "service/lmstfy_shop.hpp"

#include <catch2/catch_test_macros.hpp>

using service_test::data_of;
using service_test::job_id_of;
using service_test::lmstfy_shop;
using service_test::with_lmstfy;
namespace json = boost::json;

TEST_CASE("a job that falls due is counted, looked at and taken by who never waits", "[service]") {
    lmstfy_shop shop;
    for (const auto& name : {shop.name(), shop.other()}) {
        INFO(name);
        auto at = shop.connect(name);
        const auto id = at.publish("q?delay=1", "x");
        errand::test::eventually([&] { return at.size("q") == 1; });
        CHECK(at.ask("GET", "q/peek").json().at("job_id") == json::string_view{id});
        CHECK(job_id_of(at.consume("q")) == id);
    }
}

TEST_CASE("what fell due while no server was there is there for the first who asks",
          "[service][shared_by_apps]") {
    lmstfy_shop second;
    std::string id;
    {
        lmstfy_shop first{with_lmstfy(), second.t.app.settings()};
        auto at = first.connect();
        id = at.publish("q?delay=1", "x");
        at.publish("r?delay=1", "y");
        first.t.stop_service();
    }
    auto at = second.connect();
    // When it has come into one queue it is time in the other, too, which nobody has asked about.
    errand::test::eventually([&] { return at.size("r") == 1; });
    CHECK(job_id_of(at.consume("q")) == id);
}

TEST_CASE("a destroyed queue loses also what has just fallen due", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto id = at.publish("q?delay=1", "x");
    at.publish("r?delay=1", "y");
    errand::test::eventually([&] { return at.size("r") == 1; });
    CHECK(at.ask("DELETE", "q").status == 204);
    CHECK(at.ask("GET", "q/job/" + id).status == 404);
}

TEST_CASE("an Idempotency-Key that was used for other data publishes nothing", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const std::vector<std::string> key{"Idempotency-Key: k"};
    const auto id = at.publish("q", "x", key);
    const auto other = at.ask("PUT", "q", "y", key);
    CHECK(other.status == 422);
    CHECK(other.json().as_object().contains("error"));
    CHECK(at.ask("PUT", "q/bulk", "[1,2]", key).status == 422);
    CHECK(at.size("q") == 1);
    // In place of the job that has this key: it stays what it is.
    CHECK(at.publish("q/job/" + id, "x", key) == id);
    CHECK(at.ask("PUT", "q/job/" + id, "y", key).status == 422);
    CHECK(at.size("q") == 1);
    CHECK(data_of(at.consume("q")) == "eA==");
}
