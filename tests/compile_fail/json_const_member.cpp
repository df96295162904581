// expect: errand: a const member cannot be read from JSON
#include <errand/json.hpp>

struct fixed {
    const int value = 0;
};

auto read(const boost::json::value& v) { return errand::from_json<fixed>(v); }
