// Several things that each wait for something, at the same time.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <vector>

namespace errand {

// Until all have ended, whatever becomes of one; then throws what the first threw that failed. As soon as that has, `failed` is called,
// which may hurry the others. `on` runs one thing at a time, and is what runs the caller.
awaitable<void> side_by_side(
    boost::asio::any_io_executor on, std::vector<awaitable<void>> all, std::function<void()> failed = [] {});

}  // namespace errand
