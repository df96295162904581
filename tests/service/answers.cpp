#include "service/answers.hpp"

#include "service/client.hpp"
#include "service/flow/routes.hpp"
#include "service/instant.hpp"
#include "service/openapi.hpp"
#include "service/refusal.hpp"
#include "service/route.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cctype>

namespace service_test {

namespace json = boost::json;
namespace web = errand::web;

namespace {

const json::object& document() {
    static const auto whole = web::openapi_document();
    return whole;
}

bool is_of_type(const json::value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    return false;
}

const json::object& referred(std::string_view reference) {
    const auto name = reference.substr(reference.rfind('/') + 1);
    return document().at("components").at("schemas").at(name).as_object();
}

std::string misfit_of_object(const json::object& value, const json::object& schema, const std::string& at) {
    const auto* properties = schema.if_contains("properties");
    const auto* more = schema.if_contains("additionalProperties");
    if (const auto* required = schema.if_contains("required")) {
        for (const auto& name : required->as_array()) {
            if (!value.contains(name.as_string())) return at + " has no " + std::string{name.as_string()};
        }
    }
    for (const auto& [name, member] : value) {
        const auto place = at + '.' + std::string{name};
        const auto* known = properties ? properties->as_object().if_contains(name) : nullptr;
        if (!known && more && more->is_object()) known = more;
        if (!known) return place + " is not described";
        if (auto why = misfit(member, known->as_object(), place); !why.empty()) return why;
    }
    return {};
}

std::string misfit_of_all(const json::value& value, const json::array& kinds, const std::string& at) {
    std::string last = at + " is of no kind";
    for (const auto& one : kinds) {
        last = misfit(value, one.as_object(), at);
        if (last.empty()) return {};
    }
    return last;
}

const web::route* route_at(std::string_view method, std::string_view path) {
    path = path.substr(0, path.find('?'));
    for (const auto all : {web::routes(), errand::flow::routes()}) {
        try {
            return web::route_of(all, method, path).of;
        } catch (const web::refusal&) {
            // It is of another table, or of none.
        }
    }
    return nullptr;
}

}  // namespace

std::string misfit(const json::value& value, const json::object& schema, const std::string& at) {
    if (const auto* reference = schema.if_contains("$ref"))
        return misfit(value, referred(reference->as_string()), at);
    if (const auto* kinds = schema.if_contains("anyOf")) return misfit_of_all(value, kinds->as_array(), at);
    const auto* type = schema.if_contains("type");
    if (!type) return {};
    if (!is_of_type(value, type->as_string())) return at + " is no " + std::string{type->as_string()};
    if (const auto* texts = schema.if_contains("enum")) {
        const auto& all = texts->as_array();
        if (std::ranges::find(all, value) == all.end()) return at + " is none of its texts";
    }
    const auto* format = schema.if_contains("format");
    if (format && *format == "date-time" && !errand::parse_instant(value.as_string()))
        return at + " is no point in time";
    if (const auto* items = schema.if_contains("items"); items && value.is_array()) {
        std::size_t place = 0;
        for (const auto& one : value.get_array()) {
            auto why = misfit(one, items->as_object(), at + '[' + std::to_string(place++) + ']');
            if (!why.empty()) return why;
        }
    }
    return value.is_object() ? misfit_of_object(value.get_object(), schema, at) : std::string{};
}

void check_described(std::string_view method, std::string_view path, const response& got) {
    const auto type = got.headers.find("content-type");
    if (method == "HEAD" || got.body.empty() || type == got.headers.end() ||
        type->second != "application/json")
        return;
    const auto* of = route_at(method, path);
    if (!of) return;
    boost::system::error_code ec;
    const auto value = json::parse(got.body, ec);
    // Packed, or no JSON, which is said elsewhere.
    if (ec) return;
    std::string key{of->method};
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto& responses = document().at("paths").at(of->path).at(key).at("responses").as_object();
    std::string why;
    if (got.status >= 400) {
        why = misfit(value, referred("error"));
    } else if (const auto* answer = responses.if_contains(std::to_string(got.status))) {
        why = misfit(value, answer->at("content").at("application/json").at("schema").as_object());
    } else {
        why = "the status " + std::to_string(got.status) + " is not described";
    }
    if (why.empty()) return;
    INFO(method << ' ' << path << ": " << got.body);
    FAIL_CHECK("another answer than is described: " << why);
}

}  // namespace service_test
