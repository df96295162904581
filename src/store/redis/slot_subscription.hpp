// Hearing what is published at the server that has a slot of a cluster.
#pragma once

#include <boost/redis/request.hpp>

#include <string_view>

namespace errand::redis {

// SSUBSCRIBE to both, of one slot; it is confirmed by pushes. At a server that has not the slot it answers where no answer is due:
// a command that says so comes before it.
void push_slot_subscription(boost::redis::request& to, std::string_view first, std::string_view last);

}  // namespace errand::redis
