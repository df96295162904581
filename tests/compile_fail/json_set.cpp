// expect: errand: this type cannot travel as JSON: make it an aggregate
#include <errand/json.hpp>

#include <set>

auto text(const std::set<int>& s) { return errand::to_json(s); }
