// expect: errand: this type has a tag_invoke for boost::json::value_to_tag only
#include <errand/json.hpp>

#include <boost/json/conversion.hpp>

struct inward {
    int value = 0;
};
inward tag_invoke(boost::json::value_to_tag<inward>, const boost::json::value&);

auto text(const inward& i) { return errand::to_json(i); }
