// expect: errand: this type cannot travel as JSON: make it an aggregate
#include <errand/json.hpp>

#include <memory>

struct holder {
    std::shared_ptr<int> value;
};

auto read(const boost::json::value& v) { return errand::from_json<holder>(v); }
