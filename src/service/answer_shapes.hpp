// What calls answer when all is well, as schemas for the OpenAPI document. Beside the route table, by the names of its calls. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace errand::web {

// What several calls answer: a schema by name.
boost::json::object shared_shapes();

// The answer of this call that is no error, as JSON. Null for one that is no JSON.
boost::json::value shape_of_answer(std::string_view call);

}  // namespace errand::web
