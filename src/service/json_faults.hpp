// What a JSON text says that would be lost in reading it: the first of two members of one name, digits of a whole number of
// more than 64 bits. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace errand::web {

struct json_fault {
    std::string what;
    std::string path;  // "args[0].n"
};

// The first one. @param text is well-formed, and not nested without end. In one pass.
std::optional<json_fault> fault_of(std::string_view text);

}  // namespace errand::web
