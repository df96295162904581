// For programs that have OpenTelemetry's library for C++ (opentelemetry-cpp): link errand::opentelemetry, see docs/tracing.md.
#pragma once

#include <errand/tracer.hpp>

#include <opentelemetry/common/attribute_value.h>
#include <opentelemetry/common/timestamp.h>
#include <opentelemetry/nostd/span.h>
#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/trace/processor.h>
#include <opentelemetry/sdk/trace/recordable.h>
#include <opentelemetry/trace/span_context.h>
#include <opentelemetry/trace/span_metadata.h>
#include <opentelemetry/trace/trace_flags.h>
#include <opentelemetry/trace/trace_state.h>
#include <opentelemetry/trace/tracer.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace errand {

namespace detail {

inline opentelemetry::nostd::string_view otel_text(const std::string& text) noexcept {
    return {text.data(), text.size()};
}

// Of a TraceId or SpanId; zero for what is none.
template <class Id>
Id otel_id(std::string_view hex) noexcept {
    constexpr auto size = static_cast<std::size_t>(Id::kSize);
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10) & 15U; };
    std::uint8_t bytes[size] = {};
    for (std::size_t at = 0; at < size && hex.size() == 2 * size; ++at)
        bytes[at] = static_cast<std::uint8_t>(digit(hex[2 * at]) << 4U | digit(hex[2 * at + 1]));
    return Id{opentelemetry::nostd::span<const std::uint8_t, Id::kSize>{bytes}};
}

template <class Id>
std::string otel_hex(const Id& id) {
    char digits[2 * static_cast<std::size_t>(Id::kSize)] = {};
    id.ToLowerBase16(opentelemetry::nostd::span<char, 2 * Id::kSize>{digits});
    return {digits, sizeof digits};
}

// Versions before 1.17 do not ask for it.
template <class Recordable>
void otel_flags(Recordable& record, opentelemetry::trace::TraceFlags flags) noexcept {
    if constexpr (requires { record.SetTraceFlags(flags); }) record.SetTraceFlags(flags);
}

}  // namespace detail

/// Gives errand's spans to a processor of OpenTelemetry's SDK, and by it to whatever exporter the program uses:
/// `app.trace_with(std::make_shared<errand::opentelemetry_tracer>(std::move(processor)))`. Their ids stay as they are, since tasks
/// carry them already; no sampler of the SDK is asked.
class opentelemetry_tracer final : public tracer {
public:
    /// `to`: one that does not wait, as its BatchSpanProcessor; it is shut down when this object ends.
    /// `of`: what the spans are of, as the program tells of its other ones.
    explicit opentelemetry_tracer(
        std::unique_ptr<opentelemetry::sdk::trace::SpanProcessor> to,
        opentelemetry::sdk::resource::Resource of = opentelemetry::sdk::resource::Resource::Create({}))
        : of_{std::move(of)}, to_{std::move(to)} {}

    ~opentelemetry_tracer() override { to_->Shutdown(); }
    opentelemetry_tracer(const opentelemetry_tracer&) = delete;
    opentelemetry_tracer& operator=(const opentelemetry_tracer&) = delete;

    /// Called by errand.
    void ended(span one) noexcept override {
        namespace api = opentelemetry::trace;
        auto record = to_->MakeRecordable();
        if (!record) return;
        const api::TraceFlags recorded{api::TraceFlags::kIsSampled};
        const auto trace = detail::otel_id<api::TraceId>(one.trace_id);
        const auto parent = detail::otel_id<api::SpanId>(one.parent_id);
        const auto state = api::TraceState::FromHeader(detail::otel_text(one.trace_state));
        record->SetIdentity({trace, detail::otel_id<api::SpanId>(one.span_id), recorded, false, state},
                            parent);
        detail::otel_flags(*record, recorded);
        record->SetName(detail::otel_text(one.name));
        record->SetSpanKind(kind_of(one.kind));
        record->SetResource(of_);
        record->SetInstrumentationScope(*scope_);
        record->SetStartTime(opentelemetry::common::SystemTimestamp{one.began});
        for (const auto& [name, value] : one.attributes) {
            if (const auto* text = std::get_if<std::string>(&value))
                record->SetAttribute(detail::otel_text(name), detail::otel_text(*text));
            else
                record->SetAttribute(detail::otel_text(name), std::get<std::int64_t>(value));
        }
        for (const auto& to : one.links)
            record->AddLink({detail::otel_id<api::TraceId>(to.trace_id),
                             detail::otel_id<api::SpanId>(to.span_id), recorded, true});
        if (!one.error.empty()) record->SetStatus(api::StatusCode::kError, detail::otel_text(one.error));
        // A clock that was set back meanwhile makes no span end before it began.
        const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(one.ended - one.began);
        to_->OnStart(*record, {trace, parent, recorded, true, state});
        record->SetDuration(std::max(took, std::chrono::nanoseconds{0}));
        to_->OnEnd(std::move(record));
    }

private:
    static opentelemetry::trace::SpanKind kind_of(span_kind kind) noexcept {
        switch (kind) {
        case span_kind::producer: return opentelemetry::trace::SpanKind::kProducer;
        case span_kind::consumer: return opentelemetry::trace::SpanKind::kConsumer;
        case span_kind::internal: break;
        }
        return opentelemetry::trace::SpanKind::kInternal;
    }

    // What is recorded refers to both until it is sent.
    const opentelemetry::sdk::resource::Resource of_;
    const decltype(opentelemetry::sdk::instrumentationscope::InstrumentationScope::Create("errand")) scope_ =
        opentelemetry::sdk::instrumentationscope::InstrumentationScope::Create("errand");
    const std::unique_ptr<opentelemetry::sdk::trace::SpanProcessor> to_;
};

/// `traceparent` and `tracestate` of the span that is active on this thread in OpenTelemetry's library, for options::headers: what is
/// submitted with them belongs to its trace. Empty when none is.
[[nodiscard]] inline std::map<std::string, std::string> opentelemetry_headers() {
    const auto active = opentelemetry::trace::Tracer::GetCurrentSpan()->GetContext();
    if (!active.IsValid()) return {};
    std::map<std::string, std::string> headers{{"traceparent", "00-" + detail::otel_hex(active.trace_id()) +
                                                                   '-' + detail::otel_hex(active.span_id()) +
                                                                   (active.IsSampled() ? "-01" : "-00")}};
    if (auto state = active.trace_state()->ToHeader(); !state.empty())
        headers.emplace("tracestate", std::move(state));
    return headers;
}

}  // namespace errand
