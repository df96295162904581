// What a program holds of a task that it works on, and shows with all that it says of it: a text that it keeps as it is. Any
// service of the namespace can read it, so that none has to remember it. Pure.
#pragma once

#include <errand/time.hpp>

#include "store/store.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace errand::web {

inline constexpr std::size_t longest_worker_name = 100;

struct ticket {
    claim_number claim = 0;
    std::string mark{};  // see store::claim_mark; may be empty
    time_point at{};     // when it was claimed, by the store's clock
    std::string worker{};
};

// "1763990000123456.5a1b2c3d.1763990000123.python-1"
std::string ticket_text(const ticket& of);
// Nullopt: it is none.
std::optional<ticket> read_ticket(std::string_view text);

// 1 to longest_worker_name bytes, none of them a control character.
bool is_worker_name(std::string_view name) noexcept;

}  // namespace errand::web
