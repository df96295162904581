// Whatever is asked of the service, reading it ends with values or with a refusal that has words. The first line is a method and a
// target, as "GET /v1/x/tasks?state=dead"; what follows is the body. Nothing is carried out.
#include "core/utf8.hpp"
#include "fuzz/require.hpp"
#include "service/checks.hpp"
#include "service/flow/backoff_text.hpp"
#include "service/flow/claim_text.hpp"
#include "service/flow/report.hpp"
#include "service/flow/routes.hpp"
#include "service/json_faults.hpp"
#include "service/refusal.hpp"
#include "service/rule_values.hpp"
#include "service/target.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdint>
#include <limits>

using namespace errand;

namespace {

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t body_limit = 4000;

bool is_utf8(std::string_view text) { return first_invalid_utf8(text) >= text.size(); }

// Each by itself, so that one that is refused keeps no other from being read.
template <class Read>
void read(Read what) {
    try {
        what();
    } catch (const web::refusal& why) {
        require(why.status() >= 400 && why.status() < 500);
        require(!std::string_view{why.what()}.empty());
        // What is at fault was sent, and is not sent back as it is.
        const auto text = boost::json::serialize(web::json_of(why));
        require(is_utf8(text));
    }
}

void read_member(const web::members& given, const web::field& one) {
    const auto name = one.name;
    switch (one.type) {
    case web::kind::text: given.text(name); break;
    case web::kind::integer:
        read([&] { given.integer(name, least, most); });
        read([&] { given.length(name); });
        read([&] { given.delay(name); });
        break;
    case web::kind::boolean: given.flag(name); break;
    case web::kind::instant: given.instant(name); break;
    case web::kind::texts: given.texts(name); break;
    case web::kind::text_map: given.text_map(name); break;
    case web::kind::number: given.part(name); break;
    case web::kind::any: given.any(name); break;
    case web::kind::object:
        given.object(name);
        read([&] { web::read_rate(given, name); });
        read([&] { flow::read_backoff(given, name); });
        break;
    case web::kind::weights: given.weights(name, 1, 1000); break;
    case web::kind::array:
    case web::kind::objects:
    case web::kind::submission:
    case web::kind::planned: given.array(name); break;
    }
}

void read_body(const web::request& in, web::fields known) {
    const auto object = web::body_object(in);
    // A second reader sees the same.
    require(!web::fault_of(in.body).has_value());
    const web::members given{object, known};
    for (const auto& one : known) read([&] { read_member(given, one); });
    if (known.data() == flow::report_fields.data()) flow::read_said(given, body_limit);
}

void read_query(const web::request& in, web::fields known) {
    const web::parameters given{in, known};
    for (const auto& one : known) {
        read([&] { given.text(one.name); });
        read([&] { given.integer(one.name, least, most); });
    }
}

void read_parts(std::string_view text) {
    if (const auto decoded = web::percent_decoded(text)) {
        require(is_utf8(*decoded));
        require(web::percent_decoded(web::percent_encoded(*decoded)) == decoded);
    }
    web::host_name_of(text);
    if (const auto claim = flow::read_claim_text(text)) {
        const auto again = flow::read_claim_text(flow::text_of(*claim));
        require(again && flow::text_of(*again) == flow::text_of(*claim));
    }
    if (const auto ticket = web::read_ticket(text))
        require(web::read_ticket(web::ticket_text(*ticket)).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto line = bytes.substr(0, bytes.find('\n'));
    const auto blank = line.find(' ');
    if (blank == line.npos) return 0;
    const auto target = line.substr(blank + 1);
    const auto mark = target.find('?');
    web::request in;
    in.method = line.substr(0, blank);
    in.path = target.substr(0, mark);
    in.query = mark == target.npos ? std::string_view{} : target.substr(mark + 1);
    in.body = bytes.substr(std::min(line.size() + 1, size));
    in.headers.push_back({"Content-Type", "application/json"});
    in.headers.push_back({"Host", in.path});
    read([&] { web::check_host(in, "127.0.0.1", {"tasks.example.com"}); });
    read_parts(in.path);
    read_parts(in.body);
    for (const auto table : {web::routes(), flow::routes()}) {
        read([&] {
            const auto to = web::route_of(table, in.method, in.path);
            for (const auto& [name, value] : to.path) require(is_utf8(value));
            read([&] { read_query(in, to.of->query); });
            if (!to.of->body.empty()) read_body(in, to.of->body);
        });
    }
    return 0;
}
