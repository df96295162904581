// Boost.MySQL, compiled once for errand::mysql and all who link it.
#include <boost/mysql/src.hpp>
