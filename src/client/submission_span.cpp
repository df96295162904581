#include "client/submission_span.hpp"

#include "runtime/app_core.hpp"

#include <algorithm>

namespace errand {
namespace {

std::unique_ptr<open_span> span_of(detail::app_core& app, const trace_context* parent,
                                   std::span<const prepared_submission> all) {
    const auto& first = all.front().body;
    auto one = std::make_unique<open_span>(app.tracer, parent, span_kind::producer, "submit " + first.queue);
    one->say("messaging.system", "errand");
    one->say("messaging.operation.name", "submit");
    one->say("messaging.operation.type", "send");
    one->say("messaging.destination.name", first.queue);
    one->say("errand.handler", first.handler);
    if (all.size() == 1) {
        one->say("messaging.message.id", to_text(all.front().id));
    } else {
        one->say("messaging.batch.message_count", static_cast<std::int64_t>(all.size()));
    }
    return one;
}

// What all of them came with, as those of one request do. Many that came with different ones keep them.
std::optional<trace_context> given_to_all(std::span<const prepared_submission> all) {
    auto first = trace_in(all.front().body.headers);
    const auto is_another = [&](const prepared_submission& one) {
        return trace_in(one.body.headers) != first;
    };
    if (first && std::ranges::any_of(all.subspan(1), is_another)) return std::nullopt;
    return first;
}

}  // namespace

std::unique_ptr<open_span> trace_submission(detail::app_core& app, const ambient* around,
                                            std::span<prepared_submission> all) {
    const auto here = around ? around->trace : nullptr;
    if ((!app.tracer && !here) || all.empty()) return nullptr;
    const auto given = given_to_all(all);
    const trace_context* parent = given ? &*given : here.get();
    const bool wanted = app.tracer && (!parent || parent->sampled);
    auto one = wanted ? span_of(app, parent, all) : nullptr;
    const trace_context* carried = one ? one->context().get() : parent;
    if (!carried) return one;
    for (auto& task : all) {
        if (given || !trace_in(task.body.headers)) put_trace(*carried, task.body.headers);
    }
    return one;
}

}  // namespace errand
