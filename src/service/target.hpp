// Paths and queries as they stand in a request. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand::web {

// With its %XX read. Nullopt: one of them is cut off or no number, or what comes out is no UTF-8 or has control characters.
// `form`: a "+" is a space, as in queries.
std::optional<std::string> percent_decoded(std::string_view text, bool form = false);

// A part of a path that says this text.
std::string percent_encoded(std::string_view text);

// "/v1/default/tasks" as "v1", "default", "tasks", not decoded. What has no "/" at its beginning has no parts.
std::vector<std::string_view> parts_of(std::string_view path);

// Names and values of "a=1&b=2", decoded, in order. Nullopt: one of them cannot be decoded.
std::optional<std::vector<std::pair<std::string, std::string>>> query_values(std::string_view query);

// The name in a Host header, without its port, in lower case; "[::1]" without its brackets. Nullopt: it is none.
std::optional<std::string> host_name_of(std::string_view header);

}  // namespace errand::web
