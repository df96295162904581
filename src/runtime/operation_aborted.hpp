// What a waiter gets that was cancelled.
#pragma once

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <exception>

namespace errand {

inline std::exception_ptr operation_aborted() {
    return std::make_exception_ptr(boost::system::system_error{boost::asio::error::operation_aborted});
}

}  // namespace errand
