// The fixed fields at the front of an encoded task_outcome, without decoding the rest of it.
#pragma once

#include "core/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace errand::sqlite {

state ended_as(std::string_view outcome);
// How long after its end a success goes on refusing duplicates, ms.
std::int64_t unique_for(std::string_view outcome);
std::int64_t retention_of(std::string_view outcome);
// The outcome, with the retention that the body asks for if it asks for one.
std::string kept_as(std::string_view outcome, std::string_view body);
// What of them outlives retention for unique_for: enough to decode, and to know the life of the holder.
std::string outcome_of_remnant(std::string_view outcome);
std::string body_of_remnant(std::string_view body);

}  // namespace errand::sqlite
