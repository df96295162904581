#pragma once

#include <boost/asio/awaitable.hpp>

namespace errand {

/// What a handler's `perform` returns: Asio's own coroutine type, so that every Asio operation can be
/// awaited inside.
template <class T>
using awaitable = boost::asio::awaitable<T>;

}  // namespace errand
