// Whether what the service answers is what the OpenAPI document says of the call.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace service_test {

struct response;

// How a value differs from a schema of the document, as far as the document's own schemas go: empty, it does not. Members that no
// schema names are a difference, too.
std::string misfit(const boost::json::value& value, const boost::json::object& schema,
                   const std::string& at = "$");

// Fails the test when this is an answer of a call of the document's, and differs from what that says.
void check_described(std::string_view method, std::string_view path, const response& got);

}  // namespace service_test
