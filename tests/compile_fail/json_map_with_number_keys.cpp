// expect: errand: a map travels as a JSON object: its keys must be std::string
#include <errand/json.hpp>

#include <map>

auto text(const std::map<int, int>& m) { return errand::to_json(m); }
