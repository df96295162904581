// Spans of errand in the hands of OpenTelemetry's library for C++.
#include <errand/adapter/opentelemetry.hpp>
#include <errand/errand.hpp>

#include <catch2/catch_test_macros.hpp>
#include <opentelemetry/trace/default_span.h>
#include <opentelemetry/trace/scope.h>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adapter_test {

struct parcel {
    errand::awaitable<int> perform(int n) {
        if (n < 0) throw std::runtime_error{"no route"};
        auto& self = co_await errand::this_task();
        co_return co_await self.stage("weigh", [&]() -> errand::awaitable<int> { co_return n; });
    }
};

}  // namespace adapter_test

ERRAND_HANDLER(adapter_test::parcel, .name = "parcel", .queue = "parcels", .max_retry = 0)

namespace {

using namespace std::chrono_literals;
using adapter_test::parcel;
namespace api = opentelemetry::trace;
namespace sdk = opentelemetry::sdk;
using errand::detail::otel_hex;
using opentelemetry::nostd::string_view;

const std::string asked_trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string asked_span = "00f067aa0ba902b7";

std::string text_of(string_view view) { return {view.data(), view.size()}; }

// What a processor was given, as text.
struct told {
    std::string name, trace, id, parent, state, status, scope, service;
    bool sampled = false;
    api::SpanKind kind = api::SpanKind::kInternal;
    std::chrono::system_clock::time_point began{};
    std::chrono::nanoseconds took{-1};
    std::map<std::string, std::string> attributes{};
    std::vector<std::pair<std::string, std::string>> links{};
};

class record final : public sdk::trace::Recordable {
public:
    told all{};

    void SetIdentity(const api::SpanContext& context, api::SpanId parent) noexcept override {
        all.trace = otel_hex(context.trace_id());
        all.id = otel_hex(context.span_id());
        all.parent = parent.IsValid() ? otel_hex(parent) : "";
        all.sampled = context.IsSampled();
        all.state = context.trace_state()->ToHeader();
    }
    void SetAttribute(string_view name,
                      const opentelemetry::common::AttributeValue& value) noexcept override {
        namespace nostd = opentelemetry::nostd;
        const auto* text = nostd::get_if<string_view>(&value);
        const auto* number = nostd::get_if<std::int64_t>(&value);
        all.attributes[text_of(name)] = text ? text_of(*text) : number ? std::to_string(*number) : "?";
    }
    void AddEvent(string_view, opentelemetry::common::SystemTimestamp,
                  const opentelemetry::common::KeyValueIterable&) noexcept override {}
    void AddLink(const api::SpanContext& to,
                 const opentelemetry::common::KeyValueIterable&) noexcept override {
        all.links.emplace_back(otel_hex(to.trace_id()), otel_hex(to.span_id()));
    }
    void SetStatus(api::StatusCode code, string_view words) noexcept override {
        all.status = (code == api::StatusCode::kError ? "error: " : "other: ") + text_of(words);
    }
    void SetName(string_view name) noexcept override { all.name = text_of(name); }
    void SetSpanKind(api::SpanKind kind) noexcept override { all.kind = kind; }
    void SetResource(const sdk::resource::Resource& of) noexcept override {
        const auto at = of.GetAttributes().find("service.name");
        if (at == of.GetAttributes().end()) return;
        all.service = opentelemetry::nostd::get<std::string>(at->second);
    }
    void SetStartTime(opentelemetry::common::SystemTimestamp at) noexcept override { all.began = at; }
    void SetDuration(std::chrono::nanoseconds length) noexcept override { all.took = length; }
    void SetInstrumentationScope(
        const sdk::instrumentationscope::InstrumentationScope& of) noexcept override {
        all.scope = of.GetName();
    }
};

struct kept {
    std::mutex guard{};
    std::vector<told> spans{};
    int started = 0;
    int shut_down = 0;

    std::optional<told> named(const std::string& name) {
        const std::lock_guard lock{guard};
        for (const auto& one : spans) {
            if (one.name == name) return one;
        }
        return std::nullopt;
    }
};

class keeper final : public sdk::trace::SpanProcessor {
public:
    explicit keeper(std::shared_ptr<kept> in) : in_{std::move(in)} {}

    std::unique_ptr<sdk::trace::Recordable> MakeRecordable() noexcept override {
        return std::make_unique<record>();
    }
    void OnStart(sdk::trace::Recordable&, const api::SpanContext&) noexcept override {
        const std::lock_guard lock{in_->guard};
        ++in_->started;
    }
    void OnEnd(std::unique_ptr<sdk::trace::Recordable>&& span) noexcept override {
        const std::lock_guard lock{in_->guard};
        in_->spans.push_back(static_cast<record&>(*span).all);
    }
    bool ForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool Shutdown(std::chrono::microseconds) noexcept override {
        const std::lock_guard lock{in_->guard};
        ++in_->shut_down;
        return true;
    }

private:
    std::shared_ptr<kept> in_;
};

std::shared_ptr<errand::tracer> tracer_into(const std::shared_ptr<kept>& all) {
    return std::make_shared<errand::opentelemetry_tracer>(
        std::make_unique<keeper>(all),
        sdk::resource::Resource::Create({{"service.name", std::string{"shop"}}}));
}

errand::config in_memory() {
    errand::config settings;
    settings.store = "sqlite::memory:";
    settings.queues = {{"parcels", 1}};
    settings.log_level = "off";
    return settings;
}

}  // namespace

TEST_CASE(
    "a processor of OpenTelemetry is given each span with its ids, times, attributes, links and error") {
    const auto all = std::make_shared<kept>();
    auto to = tracer_into(all);
    const std::chrono::system_clock::time_point began{1'700'000'000s};
    to->ended({.name = "process parcels",
               .kind = errand::span_kind::consumer,
               .trace_id = asked_trace,
               .span_id = "b7ad6b7169203331",
               .parent_id = asked_span,
               .trace_state = "shop=1",
               .links = {{asked_trace, asked_span}},
               .began = began,
               .ended = began + 1500us,
               .attributes = {{"errand.handler", std::string{"parcel"}}, {"errand.attempt", std::int64_t{3}}},
               .error = "no route"});
    REQUIRE(all->spans.size() == 1);
    const auto one = all->spans.front();
    CHECK(one.name == "process parcels");
    CHECK(one.kind == api::SpanKind::kConsumer);
    CHECK(one.trace == asked_trace);
    CHECK(one.id == "b7ad6b7169203331");
    CHECK(one.parent == asked_span);
    CHECK(one.sampled);
    CHECK(one.state == "shop=1");
    CHECK(one.links == std::vector<std::pair<std::string, std::string>>{{asked_trace, asked_span}});
    CHECK(one.began == began);
    CHECK(one.took == 1500us);
    CHECK(one.attributes ==
          std::map<std::string, std::string>{{"errand.handler", "parcel"}, {"errand.attempt", "3"}});
    CHECK(one.status == "error: no route");
    CHECK(one.scope == "errand");
    CHECK(one.service == "shop");
    CHECK(all->started == 1);
    CHECK(all->shut_down == 0);
    to.reset();
    CHECK(all->shut_down == 1);
}

TEST_CASE("a span that begins a trace has no parent, and none ends before it began") {
    const auto all = std::make_shared<kept>();
    const std::chrono::system_clock::time_point began{1'700'000'000s};
    tracer_into(all)->ended({.name = "submit parcels",
                             .kind = errand::span_kind::producer,
                             .trace_id = asked_trace,
                             .span_id = asked_span,
                             .began = began,
                             .ended = began - 2s});
    REQUIRE(all->spans.size() == 1);
    CHECK(all->spans.front().kind == api::SpanKind::kProducer);
    CHECK(all->spans.front().parent.empty());
    CHECK(all->spans.front().status.empty());
    CHECK(all->spans.front().took == 0ns);
}

TEST_CASE("what is submitted under a span of OpenTelemetry is part of its trace, down to the stages") {
    const auto all = std::make_shared<kept>();
    errand::app app{in_memory()};
    app.trace_with(tracer_into(all));
    app.block_on(app.start());
    CHECK(errand::opentelemetry_headers().empty());
    const api::SpanContext request{
        errand::detail::otel_id<api::TraceId>(asked_trace), errand::detail::otel_id<api::SpanId>(asked_span),
        api::TraceFlags{api::TraceFlags::kIsSampled}, true, api::TraceState::FromHeader("shop=1")};
    opentelemetry::nostd::shared_ptr<api::Span> span{new api::DefaultSpan{request}};
    errand::options with;
    {
        const api::Scope active{span};
        with.headers = errand::opentelemetry_headers();
    }
    CHECK(with.headers.at("traceparent") == "00-" + asked_trace + '-' + asked_span + "-01");
    CHECK(with.headers.at("tracestate") == "shop=1");
    const auto task = app.block_on(app.handler<parcel>().with(with).perform_async(7));
    CHECK(app.block_on(task.result(60s)) == 7);
    app.block_on(app.stop());
    const auto submitted = all->named("submit parcels");
    const auto processed = all->named("process parcels");
    const auto weighed = all->named("stage weigh");
    REQUIRE(submitted);
    REQUIRE(processed);
    REQUIRE(weighed);
    CHECK(submitted->parent == asked_span);
    CHECK(processed->parent == submitted->id);
    CHECK(weighed->parent == processed->id);
    for (const auto* one : {&*submitted, &*processed, &*weighed}) {
        CHECK(one->trace == asked_trace);
        CHECK(one->state == "shop=1");
    }
    CHECK(processed->attributes.at("errand.outcome") == "success");
}

TEST_CASE("an attempt that fails has the status of an error in OpenTelemetry, with what was thrown") {
    const auto all = std::make_shared<kept>();
    errand::app app{in_memory()};
    app.trace_with(tracer_into(all));
    app.block_on(app.start());
    const auto task = app.block_on(app.handler<parcel>().perform_async(-1));
    CHECK_THROWS(app.block_on(task.result(60s)));
    app.block_on(app.stop());
    const auto processed = all->named("process parcels");
    REQUIRE(processed);
    CHECK(processed->status == "error: no route");
    CHECK(processed->attributes.at("error.type") == "std::runtime_error");
}
