// expect: errand: a C array cannot travel as JSON
#include <errand/json.hpp>

struct name {
    int length = 0;
    char letters[16] = {};
};

auto text(const name& n) { return errand::to_json(n); }
