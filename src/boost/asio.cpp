// Boost.Asio and its TLS streams, compiled once for errand and all who link it.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
