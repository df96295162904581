// The route table of flows: a part of what the REST interface's addresses offer.
#pragma once

#include "service/route.hpp"

#include <span>

namespace errand::flow {

std::span<const web::route> routes() noexcept;

}  // namespace errand::flow
