#include "core/head_start.hpp"

#include <algorithm>

namespace errand {

time_point ready_order(std::string_view encoded_body, std::string_view encoded_notes) noexcept {
    try {
        const auto body = decode_body(encoded_body);
        auto since = std::max(body.submitted_at(), body.due_at.value_or(time_point{}));
        if (!encoded_notes.empty()) {
            const auto notes = decode_notes(encoded_notes);
            since = std::max(since, notes.started_at.value_or(time_point{}));
            if (notes.flow && !notes.flow->runs.empty()) {
                const auto& last = notes.flow->runs.back();
                since = std::max(since, last.due_at.value_or(last.at));
            }
        }
        return since - body.head_start;
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace errand
