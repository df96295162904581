// expect: errand: a std::string_view can be sent but not received
#include <errand/json.hpp>

struct glance {
    std::string_view text;
};

auto read(const boost::json::value& v) { return errand::from_json<glance>(v); }
