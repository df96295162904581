// What the route table says, as an OpenAPI 3.1 document and as the references of docs/http.md and docs/flow.md. Pure.
#pragma once

#include "service/route.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>

namespace errand::web {

boost::json::object openapi_document();

// Markdown: one chapter a call.
std::string reference_text(std::span<const route> of);

}  // namespace errand::web
