// What an Idempotency-Key stands for when something stands between the request and the store.
#include <errand/middleware.hpp>

#include "core/task_id.hpp"
#include "service/counter.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

using service_test::client;
using service_test::counter;
namespace json = boost::json;

namespace {

const std::vector<std::string> one_key{"Idempotency-Key: k"};

std::string id_in(const service_test::response& got) {
    INFO(got.body);
    REQUIRE(got.status < 300);
    return std::string{got.json().at("id").as_string()};
}

std::string submission_of(const std::string& handler, int number) {
    return R"({"handler": ")" + handler + R"(", "args": [)" + std::to_string(number) +
           R"(], "delay_ms": 3600000})";
}

}  // namespace

TEST_CASE("a repeated key is compared with what its request would submit, after the wrappers", "[service]") {
    counter t;
    t.app.around_submit([](errand::submission& s, errand::next_step next) -> errand::awaitable<void> {
        s.args = R"(["wrapped )" + std::to_string(s.args.size()) + R"("])";
        co_await next();
    });
    auto at = t.connect();
    const auto ask = [&](int n) {
        return at.ask("POST", t.path("/tasks"), submission_of("parcel", n), one_key);
    };
    const auto id = id_in(ask(1));
    CHECK(json::serialize(t.task(id).args) == R"(["wrapped 3"])");
    const auto again = ask(1);
    CHECK(id_in(again) == id);
    CHECK(again.status == 200);
    CHECK(ask(10).status == 422);
}

TEST_CASE("a biz_id that a wrapper gives is the one that counts, and not the key", "[service]") {
    counter t;
    t.app.around_submit([](errand::submission& s, errand::next_step next) -> errand::awaitable<void> {
        s.options.biz_id = "given";
        co_await next();
    });
    auto at = t.connect();
    const auto id = id_in(at.ask("POST", t.path("/tasks"), submission_of("parcel", 1), one_key));
    CHECK(t.task(id).biz_id == "given");
    const auto other = at.ask("POST", t.path("/tasks"), submission_of("parcel", 2), one_key);
    CHECK(other.status == 200);
    CHECK(id_in(other) == id);
}

TEST_CASE("after other arguments were given to a task, its key is that of those", "[service]") {
    counter t;
    auto at = t.connect();
    const auto id = id_in(at.ask("POST", t.path("/tasks"), submission_of("parcel", 1), one_key));
    CHECK(at.ask("PATCH", t.path("/tasks/" + id), R"({"args": [2]})").status == 200);
    CHECK(at.ask("POST", t.path("/tasks"), submission_of("parcel", 1), one_key).status == 422);
    CHECK(id_in(at.ask("POST", t.path("/tasks"), submission_of("parcel", 2), one_key)) == id);
}

TEST_CASE("on several shards a task with a key and limits stands where limits are counted",
          "[service][in_shards]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 3;
    counter t{{}, settings};
    auto at = t.connect();
    for (int i = 0; i < 8; ++i) {
        const std::vector<std::string> key{"Idempotency-Key: k" + std::to_string(i)};
        const auto id = id_in(at.ask("POST", t.path("/tasks"), submission_of("bulky", i), key));
        CHECK(errand::shard_of_id(errand::parse_task_id(id).value(), 3) == errand::shard_of_limits);
        const auto again = at.ask("POST", t.path("/tasks"), submission_of("bulky", i), key);
        CHECK(again.status == 200);
        CHECK(id_in(again) == id);
        // One without limits has an id of its own.
        CHECK(at.ask("POST", t.path("/tasks"), submission_of("parcel", i), key).status == 201);
    }
}
