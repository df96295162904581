#include "service/access_line.hpp"

#include "core/utf8.hpp"
#include "service/instant.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace errand::web {

std::string access_line(access_log form, const request& what, const served& how) {
    if (form == access_log::json) {
        const boost::json::object line{
            {"at", instant_text(how.at)},
            {"request", what.id},
            {"peer", what.peer},
            {"token", what.who.empty() ? boost::json::value{} : boost::json::value{what.who}},
            {"method", what.method},
            {"path", repaired_utf8(what.path)},
            {"status", how.status},
            {"bytes", how.bytes},
            {"ms", how.took.count()}};
        return boost::json::serialize(line);
    }
    return instant_text(how.at) + ' ' + what.peer + ' ' + (what.who.empty() ? "-" : what.who) + " \"" +
           what.method + ' ' + repaired_utf8(what.path) + "\" " + std::to_string(how.status) + ' ' +
           std::to_string(how.bytes) + "B " + std::to_string(how.took.count()) + "ms " + what.id;
}

}  // namespace errand::web
