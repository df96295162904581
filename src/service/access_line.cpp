#include "service/access_line.hpp"

#include "core/hex.hpp"
#include "core/utf8.hpp"
#include "service/instant.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace errand::web {

namespace {

// Without what would end the quotes that it stands in, or what a terminal obeys: that as %XX.
std::string inside_quotes(const std::string& path) {
    const auto text = repaired_utf8(path);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        // U+0080 to U+009F are 0xC2 and one byte.
        const bool high_control = byte == 0xC2 && next < 0xA0;
        const auto escaped = [&](unsigned char one) {
            out += '%';
            append_hex(out, one);
        };
        if (high_control) {
            escaped(byte);
            escaped(static_cast<unsigned char>(next));
            ++i;
        } else if (byte < 0x20 || byte == 0x7F || byte == '"') {
            escaped(byte);
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace

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
           what.method + ' ' + inside_quotes(what.path) + "\" " + std::to_string(how.status) + ' ' +
           std::to_string(how.bytes) + "B " + std::to_string(how.took.count()) + "ms " + what.id;
}

}  // namespace errand::web
