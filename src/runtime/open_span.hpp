// A span under way, for app::trace_with. It exists only where somebody takes spans. On one thread at a time.
#pragma once

#include <errand/tracer.hpp>

#include "core/trace_context.hpp"
#include "runtime/ambient.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace errand {

class open_span {
public:
    // `parent`: null: it begins a trace.
    open_span(std::shared_ptr<tracer> to, const trace_context* parent, span_kind kind, std::string name);
    // Ends it, as a failure when an exception is what ends it.
    ~open_span();
    open_span(const open_span&) = delete;
    open_span& operator=(const open_span&) = delete;

    const std::shared_ptr<const trace_context>& context() const noexcept { return context_; }
    void link(const trace_context& to) { what_.links.push_back({to.trace_id, to.span_id}); }
    void say(std::string name, std::string value) {
        what_.attributes.emplace_back(std::move(name), std::move(value));
    }
    void say(std::string name, std::int64_t value) { what_.attributes.emplace_back(std::move(name), value); }
    // `error`: empty: it went well. Once.
    void end(std::string error);

private:
    std::shared_ptr<tracer> to_;
    span what_;
    std::shared_ptr<const trace_context> context_;
    int exceptions_;
    bool ended_ = false;
};

}  // namespace errand
