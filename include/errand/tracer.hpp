#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace errand {

/// What a span is of, as OpenTelemetry names it.
enum class span_kind : std::uint8_t {
    internal,  ///< a stage
    producer,  ///< a submission
    consumer,  ///< an attempt
};

/// Another span that one has to do with.
struct span_link {
    std::string trace_id;  ///< 32 digits of hex, in lower case
    std::string span_id;   ///< 16 likewise
};

/// Something that took time, and has ended: a submission, an attempt, a stage. Ids are in lower-case hex: 32 digits of a trace, 16
/// of a span.
struct span {
    std::string name{};                             ///< "submit QUEUE", "process QUEUE" or "stage NAME"
    span_kind kind = span_kind::internal;           ///< which of the three it is
    std::string trace_id{};                         ///< of all that one request has caused
    std::string span_id{};                          ///< its own
    std::string parent_id{};                        ///< of the same trace; empty: it is the first
    std::string trace_state{};                      ///< what came as `tracestate`, passed on as it is
    std::vector<span_link> links{};                 ///< to spans that it follows, but is no part of
    std::chrono::system_clock::time_point began{};  ///< by this machine's clock
    std::chrono::system_clock::time_point ended{};  ///< likewise
    /// By OpenTelemetry's names; docs/tracing.md lists them.
    std::vector<std::pair<std::string, std::variant<std::string, std::int64_t>>> attributes{};
    std::string error{};  ///< why it failed; empty: it did not
};

/// Takes the spans of an app, see app::trace_with. The one that is built in sends them to a collector (docs/tracing.md).
class tracer {
public:
    virtual ~tracer() = default;
    /// Called on whatever thread the span ended on, which is in the middle of something: it must be quick and not wait.
    virtual void ended(span one) noexcept = 0;
};

}  // namespace errand
