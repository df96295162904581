// expect: errand: this aggregate cannot be made as T
#include <errand/json.hpp>

struct refers {
    const int& to;
};

auto read(const boost::json::value& v) { return errand::from_json<refers>(v); }
