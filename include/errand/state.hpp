#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace errand {

/// Where a task is in its life. A task is in exactly one state; the last four are ends.
enum class state {
    waiting,    ///< Depends on tasks that have not ended.
    delayed,    ///< Due later.
    ready,      ///< Due; a worker that serves its queue may claim it.
    working,    ///< Claimed: a worker runs it and holds its lease.
    retry,      ///< Failed; due again after its backoff.
    success,    ///< Ended: `perform` returned.
    dead,       ///< Ended: retries used up, discarded, or its data did not decode.
    cancelled,  ///< Ended: cancelled by a caller or with a dependency.
    expired,    ///< Ended: not started in time.
};

namespace detail {

inline constexpr std::array<std::string_view, 9> state_names{
    "waiting", "delayed", "ready", "working", "retry", "success", "dead", "cancelled", "expired"};

}  // namespace detail

/// The state's name as it stands in stores, logs and URLs.
/// @return text with static lifetime; "unknown" for a value that is no enumerator. Never throws.
[[nodiscard]] constexpr std::string_view to_string(state s) noexcept {
    const auto at = static_cast<std::size_t>(s);
    return at < detail::state_names.size() ? detail::state_names[at] : "unknown";
}

/// The state of that name, nothing when there is none. Case matters. Never throws.
[[nodiscard]] constexpr std::optional<state> parse_state(std::string_view name) noexcept {
    for (std::size_t at = 0; at < detail::state_names.size(); ++at) {
        if (detail::state_names[at] == name) return static_cast<state>(at);
    }
    return std::nullopt;
}

/// True for `success`, `dead`, `cancelled` and `expired`: nothing but a revival follows.
[[nodiscard]] constexpr bool is_end(state s) noexcept { return s >= state::success; }

}  // namespace errand
