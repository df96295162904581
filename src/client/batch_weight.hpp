// What is accepted or refused whole is one step of the store, which holds up all others as long as it takes: so there is a
// bound to it. Pure.
#pragma once

#include "store/store.hpp"

#include <span>

namespace errand {

// A task counts one; one that it depends on costs the store as much as ten (measured).
constexpr std::size_t heaviest_batch = 20'000, weight_of_dependency = 10;

std::size_t batch_weight_of(const submission_item& item) noexcept;

// Tasks that need not be accepted whole are submitted in steps, from the last to the first: where the step begins that ends before
// `to`. `dependencies`: how many tasks each of them depends on; one that depends on more than a call takes is the first of its step.
std::size_t begin_of_step(std::span<const std::size_t> dependencies, std::size_t to) noexcept;

// usage_error when they are too many, depend on too many or are too large for one step.
void check_weight(std::span<const submission_item> items);

}  // namespace errand
