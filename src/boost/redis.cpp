// Boost.Redis, compiled once.
#include <boost/redis/src.hpp>
