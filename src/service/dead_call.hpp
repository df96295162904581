// on_dead of a task of which a program says over HTTP that it is dead by what came of its attempt.
//
// Invariant: until its handler has heard the claim is extended, so that nobody else takes the task over to tell it again.
#pragma once

#include "service/exchange.hpp"

namespace errand::web {

// If its handler is in this program and wants to hear: until it has. After its timeout it is told to stop.
awaitable<void> tell_handler(exchange& work, const opened_attempt& of, const attempt& one, const judged& done,
                             time_point now);

}  // namespace errand::web
