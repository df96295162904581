// How many requests who asks makes: never more than his rate says in any time, over all servers, as the store of the service's own
// namespace counts them. On the service's loop.
#pragma once

#include <errand/awaitable.hpp>

#include "core/request_rules.hpp"

namespace errand::web {

struct hub;

// The mark of one more, by which it is taken back; 0: it is one too many. Throws refusal (503) when the store does not answer.
awaitable<request_answer> count_request(hub& of, request_count what);
// It does not count, unless the store does not answer.
awaitable<void> take_back_request(hub& of, request_count what, std::int64_t mark);

// One that a rate counts whatever it brings. Throws refusal: 429 for one too many, 503.
awaitable<void> admit_request(hub& of, request_count what);

}  // namespace errand::web
