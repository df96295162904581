// Pages of other origins that may use the REST interface and flows (CORS): those that are named, and no others. Pure.
#pragma once

#include "service/route.hpp"

#include <string>
#include <vector>

namespace errand::web {

// "https://shop.example.com", as a browser says it. Throws usage_error for what is no exact origin.
std::string read_origin(const std::string& text);

// Whether a page of one of these asks.
bool is_of_origin(const request& in, const std::vector<std::string>& named);
// By which a browser finds out what such a page may ask for.
bool asks_for_leave(const request& in);
// Where that is answered.
const route& leave_route() noexcept;
// What lets the page read the answer to its request.
void add_origin(answer& to, const request& in);

}  // namespace errand::web
