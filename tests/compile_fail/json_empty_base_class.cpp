// expect: errand: an aggregate with a base class cannot travel as JSON
#include <errand/json.hpp>

struct base {};
struct derived : base {
    int more = 0;
};

auto text(const derived& d) { return errand::to_json(d); }
