// Jobs of another server as jobs of this one: each once, however often it is brought.
#pragma once

#include "client/import_tasks.hpp"
#include "service/lmstfy/source.hpp"

#include <cstddef>

namespace errand::lmstfy {

// What is left of it when it is brought: its ttl, its tries and the one that its delivery took there. Its id and its life follow from
// its queue and its id there, as far as that tells when it was published, as an lmstfy's does. `number` tells it from others of its call.
// Throws usage_error, bad_data and quota_exceeded when it cannot be a job here.
// @param now by the store's clock
import_item imported_job(detail::app_core& app, const source_job& one, std::uint64_t number, time_point now);

}  // namespace errand::lmstfy
