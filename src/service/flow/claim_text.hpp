// What a worker shows of a task that it holds: text that is never repeated, bound to one attempt of one life of one task. Any
// service of the namespace reads it. Pure.
#pragma once

#include "core/record.hpp"
#include "service/ticket.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace errand::flow {

struct flow_claim {
    incarnation life = 0;
    // part_of its id: tasks of one claim that were made in one millisecond may share a life.
    std::uint64_t task = 0;
    web::ticket by{};
};

// The half of an id that is random, or a hash.
std::uint64_t part_of(const task_id& id);

std::string text_of(const flow_claim& claim);
// Nullopt: it is none.
std::optional<flow_claim> read_claim_text(std::string_view text);

}  // namespace errand::flow
