#include "service/values.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "core/policy_rules.hpp"
#include "core/whole_number.hpp"
#include "service/instant.hpp"
#include "service/json_faults.hpp"
#include "service/refusal.hpp"
#include "service/target.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>

namespace errand::web {

namespace json = boost::json;

namespace {

std::string names_of(fields known) {
    std::string names;
    for (const auto& one : known) {
        if (!names.empty()) names += ", ";
        names += one.name;
    }
    return names;
}

std::string range_text(std::int64_t least, std::int64_t most) {
    return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

bool is_known(fields known, std::string_view name) {
    return std::ranges::find(known, name, &field::name) != known.end();
}

std::string no_such(std::string_view what, std::string_view name, fields known) {
    return "there is no " + std::string{what} + ' ' + detail::quoted_extract(name) + "; there are " +
           names_of(known);
}

}  // namespace

json::object body_object(const request& in) {
    const auto* type = in.find_header("Content-Type");
    const auto media = type ? std::string_view{*type}.substr(0, type->find(';')) : std::string_view{};
    const auto end = media.find_last_not_of(" \t");
    if (!type || !same_header_name(media.substr(0, end == media.npos ? 0 : end + 1), "application/json")) {
        throw refusal{415, "unsupported_media_type", "the body is to be JSON: Content-Type: application/json",
                      "Content-Type"};
    }
    try {
        // All of it goes at once.
        auto document =
            detail::parse_json(in.body, "body", json::make_shared_resource<json::monotonic_resource>());
        if (const auto fault = fault_of(in.body)) throw bad_request(fault->what, fault->path);
        if (auto* object = document.if_object()) return std::move(*object);
    } catch (const bad_data& why) {
        throw bad_request(why.what());
    }
    throw bad_request("the body is to be one JSON object");
}

members::members(const json::object& from, fields known, std::string path)
    : from_{from}, path_{std::move(path)} {
    for (const auto& one : from_) {
        if (is_known(known, one.key())) continue;
        throw bad_request(no_such("member", one.key(), known), path_of(one.key()));
    }
    for (const auto& one : known) {
        if (one.required) need(one.name);
    }
}

void members::need(std::string_view name) const {
    if (!has(name)) throw bad_request("the member \"" + std::string{name} + "\" is missing", path_of(name));
}

std::string members::path_of(std::string_view name) const {
    return path_.empty() ? std::string{name} : path_ + '.' + std::string{name};
}

const json::value* members::find(std::string_view name) const {
    const auto* value = from_.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
}

void members::refuse(std::string_view name, const std::string& expected) const {
    throw bad_request("\"" + std::string{name} + "\" is to be " + expected, path_of(name));
}

std::optional<std::string> members::text(std::string_view name) const {
    const auto* value = find(name);
    if (!value) return std::nullopt;
    if (!value->is_string()) refuse(name, "a string");
    return std::string{value->get_string()};
}

std::optional<std::int64_t> members::integer(std::string_view name, std::int64_t least,
                                             std::int64_t most) const {
    const auto* value = find(name);
    if (!value) return std::nullopt;
    const auto* number = value->if_int64();
    if (!number || *number < least || *number > most) refuse(name, range_text(least, most));
    return *number;
}

std::optional<bool> members::flag(std::string_view name) const {
    const auto* value = find(name);
    if (!value) return std::nullopt;
    const auto* flag = value->if_bool();
    if (!flag) refuse(name, "true or false");
    return *flag;
}

std::optional<duration> members::length(std::string_view name) const {
    const auto number = integer(name, 0, max_duration.count());
    return number ? std::optional{duration{*number}} : std::nullopt;
}

std::optional<duration> members::delay(std::string_view name) const {
    const auto number = integer(name, -max_duration.count(), max_duration.count());
    return number ? std::optional{std::max(duration{*number}, duration{0})} : std::nullopt;
}

std::optional<time_point> members::instant(std::string_view name) const {
    const auto written = text(name);
    if (!written) return std::nullopt;
    const auto at = parse_instant(*written);
    if (!at) refuse(name, "a point in time with its zone, such as 2026-12-01T08:00:00Z");
    return at;
}

const json::array* members::array(std::string_view name) const {
    const auto* value = find(name);
    if (!value) return nullptr;
    if (!value->is_array()) refuse(name, "an array");
    return &value->get_array();
}

std::vector<std::string> members::texts(std::string_view name) const {
    std::vector<std::string> all;
    if (const auto* items = array(name)) {
        for (const auto& one : *items) {
            if (!one.is_string()) refuse(name, "an array of strings");
            all.emplace_back(one.get_string());
        }
    }
    return all;
}

std::map<std::string, std::string> members::text_map(std::string_view name) const {
    std::map<std::string, std::string> all;
    const auto* value = find(name);
    if (!value) return all;
    if (!value->is_object()) refuse(name, "an object whose members are strings");
    for (const auto& one : value->get_object()) {
        if (!one.value().is_string()) refuse(name, "an object whose members are strings");
        all.emplace(one.key(), one.value().get_string());
    }
    return all;
}

const json::object* members::object(std::string_view name) const {
    const auto* value = find(name);
    if (!value) return nullptr;
    if (!value->is_object()) refuse(name, "an object");
    return &value->get_object();
}

std::optional<double> members::part(std::string_view name) const {
    const auto* value = find(name);
    if (!value) return std::nullopt;
    const auto read = value->is_number() ? value->to_number<double>() : -1.0;
    if (!(read >= 0 && read <= 1)) refuse(name, "a number from 0 to 1");
    return read;
}

std::map<std::string, int> members::weights(std::string_view name, int least, int most) const {
    const auto* from = object(name);
    std::map<std::string, int> all;
    if (!from) return all;
    for (const auto& one : *from) {
        const auto* weight = one.value().if_int64();
        if (!weight || *weight < least || *weight > most)
            refuse(name, "an object whose members are integers from " + std::to_string(least) + " to " +
                             std::to_string(most));
        all.emplace(one.key(), static_cast<int>(*weight));
    }
    return all;
}

parameters::parameters(const request& in, fields known) {
    auto given = query_values(in.query);
    if (!given) throw bad_request("the query cannot be decoded: %XX are bytes of UTF-8", "query");
    for (auto& [name, value] : *given) {
        if (!is_known(known, name)) {
            throw bad_request(known.empty() ? "this call takes no query" : no_such("parameter", name, known),
                              name);
        }
        auto key = name;
        if (!values_.emplace(std::move(name), std::move(value)).second)
            throw bad_request("the parameter " + detail::quoted_extract(key) + " is given twice", key);
    }
}

std::optional<std::string> parameters::text(std::string_view name) const {
    const auto at = values_.find(name);
    return at == values_.end() ? std::nullopt : std::optional{at->second};
}

std::optional<std::int64_t> parameters::integer(std::string_view name, std::int64_t least,
                                                std::int64_t most) const {
    const auto written = text(name);
    if (!written) return std::nullopt;
    const auto number = whole_number<std::int64_t>(*written);
    if (!number || *number < least || *number > most) {
        throw bad_request("\"" + std::string{name} + "\" is to be " + range_text(least, most),
                          std::string{name});
    }
    return number;
}

std::size_t choice_of(std::string_view text, std::span<const std::string_view> names,
                      const std::string& path) {
    const auto at = std::ranges::find(names, text);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    std::string all;
    for (const auto& one : names) {
        if (!all.empty()) all += ", ";
        all += one;
    }
    throw bad_request("\"" + path + "\" is to be one of " + all, path);
}

}  // namespace errand::web
