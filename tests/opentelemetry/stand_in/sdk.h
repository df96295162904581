// Likewise of its SDK: what a processor of spans is given.
#pragma once

#include "api.h"

#include <unordered_map>

namespace opentelemetry::sdk {

namespace common {
using AttributeMap = std::unordered_map<std::string, std::variant<bool, std::int64_t, double, std::string>>;
}

namespace resource {

using ResourceAttributes = common::AttributeMap;

class Resource {
public:
    static Resource Create(const ResourceAttributes& attributes, const std::string& schema_url = {}) {
        Resource made;
        made.attributes_ = attributes;
        made.schema_url_ = schema_url;
        return made;
    }
    const ResourceAttributes& GetAttributes() const noexcept { return attributes_; }

private:
    ResourceAttributes attributes_;
    std::string schema_url_;
};

}  // namespace resource

namespace instrumentationscope {

class InstrumentationScope {
public:
    static std::unique_ptr<InstrumentationScope> Create(std::string_view name, std::string_view version = "",
                                                        std::string_view schema_url = "",
                                                        common::AttributeMap&& = {}) {
        auto made = std::make_unique<InstrumentationScope>();
        made->name_ = name;
        made->version_ = version;
        made->schema_url_ = schema_url;
        return made;
    }
    const std::string& GetName() const noexcept { return name_; }

private:
    std::string name_, version_, schema_url_;
};

}  // namespace instrumentationscope

namespace trace {

struct no_attributes final : opentelemetry::common::KeyValueIterable {
    std::size_t size() const noexcept override { return 0; }
};

class Recordable {
public:
    virtual ~Recordable() = default;
    virtual void SetIdentity(const opentelemetry::trace::SpanContext& context,
                             opentelemetry::trace::SpanId parent) noexcept = 0;
    virtual void SetAttribute(std::string_view name,
                              const opentelemetry::common::AttributeValue& value) noexcept = 0;
    virtual void AddEvent(std::string_view name, opentelemetry::common::SystemTimestamp at,
                          const opentelemetry::common::KeyValueIterable& attributes) noexcept = 0;
    virtual void AddLink(const opentelemetry::trace::SpanContext& to,
                         const opentelemetry::common::KeyValueIterable& attributes) noexcept = 0;
    void AddLink(opentelemetry::trace::SpanContext to) { AddLink(to, no_attributes{}); }
    virtual void SetStatus(opentelemetry::trace::StatusCode code, std::string_view words) noexcept = 0;
    virtual void SetName(std::string_view name) noexcept = 0;
    virtual void SetTraceFlags(opentelemetry::trace::TraceFlags) noexcept {}
    virtual void SetSpanKind(opentelemetry::trace::SpanKind kind) noexcept = 0;
    virtual void SetResource(const resource::Resource& of) noexcept = 0;
    virtual void SetStartTime(opentelemetry::common::SystemTimestamp at) noexcept = 0;
    virtual void SetDuration(std::chrono::nanoseconds length) noexcept = 0;
    virtual void SetInstrumentationScope(const instrumentationscope::InstrumentationScope& of) noexcept = 0;
};

class SpanProcessor {
public:
    virtual ~SpanProcessor() = default;
    virtual std::unique_ptr<Recordable> MakeRecordable() noexcept = 0;
    virtual void OnStart(Recordable& span, const opentelemetry::trace::SpanContext& parent) noexcept = 0;
    virtual void OnEnd(std::unique_ptr<Recordable>&& span) noexcept = 0;
    virtual bool ForceFlush(std::chrono::microseconds within = std::chrono::microseconds::max()) noexcept = 0;
    virtual bool Shutdown(std::chrono::microseconds within = std::chrono::microseconds::max()) noexcept = 0;
};

}  // namespace trace

}  // namespace opentelemetry::sdk
