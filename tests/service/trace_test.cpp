// Requests that are part of a trace.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

#include <mutex>

using service_test::counter;

namespace {

const std::string asked_trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string asked_span = "00f067aa0ba902b7";
const std::string asked_header = "traceparent: 00-" + asked_trace + '-' + asked_span + "-01";
const std::string one_task = R"({"handler": "py_thing", "queue": "foreign"})";

class kept_spans final : public errand::tracer {
public:
    void ended(errand::span one) noexcept override {
        const std::lock_guard lock{guard_};
        all_.push_back(std::move(one));
    }
    std::vector<errand::span> all() const {
        const std::lock_guard lock{guard_};
        return all_;
    }

private:
    mutable std::mutex guard_;
    std::vector<errand::span> all_;
};

std::string header_of_task(counter& t, const std::string& id) { return t.task(id).headers["traceparent"]; }

}  // namespace

TEST_CASE("a task that is submitted by a request of a trace is part of it", "[service]") {
    counter t;
    const auto spans = std::make_shared<kept_spans>();
    t.app.trace_with(spans);
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/tasks"), one_task, {asked_header});
    REQUIRE(got.status == 201);
    REQUIRE(spans->all().size() == 1);
    const auto span = spans->all().front();
    CHECK(span.name == "submit foreign");
    CHECK(span.trace_id == asked_trace);
    CHECK(span.parent_id == asked_span);
    CHECK(span.error.empty());
    const auto id = std::string{got.json().at("id").as_string()};
    CHECK(header_of_task(t, id) == "00-" + asked_trace + '-' + span.span_id + "-01");
}

TEST_CASE("without a tracer a request's trace goes on with its tasks, also those of a batch", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got =
        at.ask("POST", t.path("/tasks:batch"), R"({"tasks": [)" + one_task + ", " + one_task + "]}",
               {asked_header, "tracestate: shop=1"});
    REQUIRE(got.status == 200);
    const auto answer = got.json();
    for (const auto& one : answer.at("results").as_array()) {
        auto headers = t.task(std::string{one.at("id").as_string()}).headers;
        CHECK(headers["traceparent"] == asked_header.substr(asked_header.find(' ') + 1));
        CHECK(headers["tracestate"] == "shop=1");
    }
    const auto plain = at.ask("POST", t.path("/tasks"), one_task, {"traceparent: nonsense"});
    REQUIRE(plain.status == 201);
    CHECK(t.task(std::string{plain.json().at("id").as_string()}).headers.empty());
}
