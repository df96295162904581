// Boost.JSON, compiled once for errand and all who link it.
#include <boost/json/src.hpp>
