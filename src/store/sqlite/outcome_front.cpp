#include "store/sqlite/outcome_front.hpp"

#include <errand/error.hpp>

#include "core/bytes.hpp"

namespace errand::sqlite {
namespace {

constexpr std::size_t front_size = 19;

std::int64_t six_bytes(std::string_view outcome, std::size_t at) {
    if (outcome.size() < front_size) throw bad_data{"the stored outcome of a task does not decode"};
    return static_cast<std::int64_t>(byte_reader{outcome.substr(at, 6), "outcome of a task"}.fixed(6));
}

}  // namespace

state ended_as(std::string_view outcome) {
    switch (outcome.empty() ? '-' : outcome.front()) {
    case 's': return state::success;
    case 'd': return state::dead;
    case 'c': return state::cancelled;
    case 'x': return state::expired;
    default: throw bad_data{"the stored outcome of a task does not say how it ended"};
    }
}

std::int64_t unique_for(std::string_view outcome) {
    return ended_as(outcome) == state::success ? six_bytes(outcome, task_outcome::unique_for_offset) : 0;
}

std::int64_t retention_of(std::string_view outcome) {
    return six_bytes(outcome, task_outcome::retention_offset);
}

std::string kept_as(std::string_view outcome, std::string_view body) {
    std::string kept{outcome};
    if (const auto retention = decode_body(body).retention) {
        std::string bytes;
        byte_writer{bytes}.fixed(static_cast<std::uint64_t>(retention->count()), 6);
        kept.replace(task_outcome::retention_offset, 6, bytes);
    }
    return kept;
}

std::string outcome_of_remnant(std::string_view outcome) {
    // No attempts, no worker, no notes, no result.
    return std::string{outcome.substr(0, front_size)} + std::string(3, '\0');
}

std::string body_of_remnant(std::string_view body) {
    const auto whole = decode_body(body);
    task_body left;
    left.priority = whole.priority;
    left.life = whole.life;
    left.queue = whole.queue;
    left.handler = whole.handler;
    left.args = "[]";
    return encode(left);
}

}  // namespace errand::sqlite
