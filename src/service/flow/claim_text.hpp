// What a worker shows of a task that it holds: text that is never repeated, bound to one attempt of one life of one task. Any
// service of the namespace reads it. Pure.
#pragma once

#include "core/record.hpp"
#include "service/ticket.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace errand::flow {

struct flow_claim {
    incarnation life = 0;
    web::ticket by{};
};

std::string text_of(const flow_claim& claim);
// Nullopt: it is none.
std::optional<flow_claim> read_claim_text(std::string_view text);

}  // namespace errand::flow
