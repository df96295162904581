// A line of the access log. Pure: no header, no query and no body is in it, so that no secret is.
#pragma once

#include <errand/service.hpp>

#include "service/message.hpp"

#include <string>

namespace errand::web {

struct served {
    time_point at{};
    duration took{0};
    int status = 0;
    std::size_t bytes = 0;  // of the answer's body
};

std::string access_line(access_log form, const request& what, const served& how);

}  // namespace errand::web
