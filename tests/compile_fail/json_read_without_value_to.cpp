// expect: errand: this type has a tag_invoke for boost::json::value_from_tag only
#include <errand/json.hpp>

#include <boost/json/conversion.hpp>

struct outward {
    int value = 0;
};
void tag_invoke(boost::json::value_from_tag, boost::json::value&, const outward&);

auto read(const boost::json::value& v) { return errand::from_json<outward>(v); }
