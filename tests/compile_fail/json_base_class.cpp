// expect: errand: an aggregate with a base class cannot travel as JSON
#include <errand/json.hpp>

struct base {
    int id = 0;
};
struct derived : base {
    int more = 0;
};

auto read(const boost::json::value& v) { return errand::from_json<derived>(v); }
