// Tells the connections of a database that a loop ends: what is idle on it must not outlive it.
#pragma once

#include <boost/asio/io_context.hpp>

#include <memory>

namespace errand::sql {

class pool;

namespace loop_end {

// From any thread while the loop lives. `whom` is told by pool::leave() while the loop is destroyed; more than once changes nothing.
void tell(boost::asio::io_context& of, const std::weak_ptr<pool>& whom);

}  // namespace loop_end
}  // namespace errand::sql
