// Requests that are part of a trace.
#include "runtime/otlp_exporter.hpp"
#include "service/counter.hpp"
#include "support/fake_collector.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <mutex>
#include <set>

using errand::test::eventually;
using errand::test::fake_collector;
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

using dropped_spans = std::shared_ptr<std::atomic<std::uint64_t>>;

std::shared_ptr<errand::tracer> exporter_to(std::uint16_t port, const dropped_spans& dropped) {
    errand::otlp_target at{.host = "127.0.0.1", .port = std::to_string(port), .path = "/v1/traces"};
    at.gathered_for = errand::duration{10};
    return std::make_shared<errand::otlp_exporter>(std::move(at), dropped, [](std::string_view) {});
}

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

TEST_CASE(
    "a collector is told of a submission by HTTP below the request that it came with, and of its attempt below that",
    "[service]") {
    fake_collector collector;
    const auto dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
    counter t;
    t.app.trace_with(exporter_to(collector.port(), dropped));
    auto at = t.connect();
    const auto got =
        at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": [1]})", {asked_header});
    REQUIRE(got.status == 201);
    const auto id = std::string{got.json().at("id").as_string()};
    t.start();
    eventually([&] { return collector.named("process parcels").size() == 1; });
    const auto submitted = collector.named("submit parcels");
    REQUIRE(submitted.size() == 1);
    const auto processed = collector.named("process parcels").front();
    CHECK(submitted[0].all.at("kind") == 4);
    CHECK(submitted[0].trace() == asked_trace);
    CHECK(submitted[0].parent() == asked_span);
    CHECK(processed.all.at("kind") == 5);
    CHECK(processed.trace() == asked_trace);
    CHECK(processed.parent() == submitted[0].id());
    CHECK(processed.links() == std::vector{submitted[0].id()});
    for (const auto& one : {submitted[0], processed}) {
        CHECK_FALSE(one.failed());
        CHECK(one.attribute("messaging.system") == "errand");
        CHECK(one.attribute("messaging.destination.name") == "parcels");
        CHECK(one.attribute("messaging.message.id") == id);
        CHECK(one.attribute("errand.handler") == "parcel");
    }
    CHECK(*dropped == 0);
}

TEST_CASE("each task of a batch by HTTP is a submission, and a plan is one, all below the request",
          "[service]") {
    fake_collector collector;
    const auto dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
    counter t;
    t.app.trace_with(exporter_to(collector.port(), dropped));
    t.start();
    auto at = t.connect();
    // In which order spans arrive is nobody's promise.
    const auto submissions_of = [&](const char* path, const std::string& body, std::size_t attempts,
                                    std::size_t submissions) {
        REQUIRE(at.ask("POST", t.path(path), body, {asked_header}).status < 300);
        eventually([&] {
            return collector.named("process parcels").size() == attempts &&
                   collector.named("submit parcels").size() >= submissions;
        });
        std::set<std::string> ids;
        for (const auto& one : collector.named("submit parcels")) {
            CHECK(one.trace() == asked_trace);
            CHECK(one.parent() == asked_span);
            ids.insert(one.id());
        }
        for (const auto& one : collector.named("process parcels")) CHECK(ids.contains(one.parent()));
        return ids.size();
    };
    const std::string one = R"({"handler": "parcel", "args": [1]})";
    CHECK(submissions_of("/tasks:batch", R"({"tasks": [)" + one + ", " + one + "]}", 2, 2) == 2);
    CHECK(submissions_of("/plans",
                         R"({"tasks": [{"name": "a", "handler": "parcel", "args": [1]},
                         {"name": "b", "handler": "parcel", "args": [2], "after_names": ["a"]}]})",
                         4, 3) == 3);
}

TEST_CASE(
    "no request waits for a collector that takes spans and never answers, and what it misses is counted",
    "[service]") {
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor silent{context, {boost::asio::ip::address_v4::loopback(), 0}};
    const auto dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
    constexpr std::size_t requests = 20;
    {
        counter t;
        t.app.trace_with(exporter_to(silent.local_endpoint().port(), dropped));
        auto at = t.connect();
        for (std::size_t i = 0; i < requests; ++i)
            REQUIRE(at.ask("POST", t.path("/tasks"), one_task, {asked_header}).status == 201);
        // None of them can have been waited for: nothing has been answered so far, and all are still to be sent.
        CHECK(*dropped == 0);
    }
    CHECK(*dropped == requests);
}
