// What is accepted or refused whole is one step of the store, which holds up all others as long as it takes: so there is a
// bound to it. Pure.
#pragma once

#include "store/store.hpp"

#include <span>

namespace errand {

// A task counts one; one that it depends on costs the store as much as ten (measured).
constexpr std::size_t heaviest_batch = 20'000, weight_of_dependency = 10;

std::size_t batch_weight_of(const submission_item& item) noexcept;

// usage_error when they are too many, depend on too many or are too large for one step.
void check_weight(std::span<const submission_item> items);

}  // namespace errand
