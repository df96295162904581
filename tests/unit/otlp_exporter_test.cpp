// Spans on their way to a collector.
#include "runtime/otlp_exporter.hpp"
#include "support/fake_collector.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

using errand::test::eventually;
using errand::test::fake_collector;

namespace {

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string request_id = "00f067aa0ba902b7";

using counter = std::shared_ptr<std::atomic<std::uint64_t>>;

std::shared_ptr<errand::tracer> exporter_to(const fake_collector& to, const counter& dropped) {
    errand::otlp_target at{.host = "127.0.0.1", .port = std::to_string(to.port()), .path = "/v1/traces"};
    at.headers = {{"x-tenant", "shop"}};
    at.gathered_for = errand::duration{10};
    return std::make_shared<errand::otlp_exporter>(std::move(at), dropped, [](std::string_view) {});
}

}  // namespace

TEST_CASE("while the collector is away nothing waits for it, and what is too much is counted", "[tracing]") {
    const counter dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
    fake_collector collector;
    collector.answer(503);
    constexpr std::size_t many =
        errand::otlp_exporter::most_kept + errand::otlp_exporter::most_at_once + 1000;
    {
        const auto to = exporter_to(collector, dropped);
        to->ended({.name = "first", .trace_id = trace_id, .span_id = request_id});
        eventually([&] { return collector.requests() > 0; });
        for (std::size_t i = 1; i < many; ++i)
            to->ended({.name = "more", .trace_id = trace_id, .span_id = request_id});
        CHECK(*dropped == many - 1 - errand::otlp_exporter::most_kept);
        collector.answer(200);
        eventually([&] { return collector.named("more").size() == errand::otlp_exporter::most_kept; });
        CHECK(collector.named("first").size() == 1);
    }
    CHECK(*dropped == many - 1 - errand::otlp_exporter::most_kept);
}

TEST_CASE("what the collector refuses is dropped, and what is left at the end is sent", "[tracing]") {
    const counter dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
    fake_collector collector;
    collector.answer(400);
    {
        const auto to = exporter_to(collector, dropped);
        to->ended({.name = "refused", .trace_id = trace_id, .span_id = request_id});
        eventually([&] { return *dropped == 1; });
        collector.answer(200);
        to->ended({.name = "last", .trace_id = trace_id, .span_id = request_id});
    }
    CHECK(collector.named("last").size() == 1);
    CHECK(collector.last_head().find("\r\nx-tenant: shop\r\n") != std::string::npos);
    CHECK(*dropped == 1);
}
