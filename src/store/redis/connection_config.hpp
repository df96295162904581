// What the library that connects to Redis is told of a connection before it makes it.
#pragma once

#include "store/redis/address.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/redis/config.hpp>
#include <boost/redis/request.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::redis {

// Between two attempts to connect.
inline constexpr std::chrono::milliseconds usual_reconnect_interval{80};

// The first command of a connection, which says in what language answers come.
void say_hello(boost::redis::request& to, const std::string& user, const std::string& password);

std::vector<boost::redis::address> library_addresses(const std::vector<endpoint>& of);

// `host`: of the server that is connected to at the time.
boost::asio::ssl::context tls_of(const address& to, std::function<std::string()> host);

// A connection to the same place that has said hello.
boost::redis::config plain_config(const address& to);

// A connection that hears both channels once `check` was answered without an error.
boost::redis::config config_of(const address& to, std::string_view channel, std::string_view of_all,
                               const boost::redis::request& check);

}  // namespace errand::redis
