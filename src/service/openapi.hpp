// What the route table says, as an OpenAPI 3.1 document and as the reference of docs/http.md. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace errand::web {

boost::json::object openapi_document();

// Markdown: one chapter a call.
std::string reference_text();

}  // namespace errand::web
