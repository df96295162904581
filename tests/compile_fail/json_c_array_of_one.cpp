// expect: errand: a C array cannot travel as JSON
#include <errand/json.hpp>

struct name {
    char letters[1] = {};
};

auto text(const name& n) { return errand::to_json(n); }
