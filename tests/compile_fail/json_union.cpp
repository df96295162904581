// expect: errand: a union cannot travel as JSON: use std::variant
#include <errand/json.hpp>

union either {
    int number;
    float real;
};

auto text(const either& e) { return errand::to_json(e); }
