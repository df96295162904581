// SHA-1 of a text, as scripts of Redis have it: 40 hexadecimal digits. For names alone; it keeps nothing secret.
#pragma once

#include <string>
#include <string_view>

namespace errand {

std::string sha1(std::string_view text);

}  // namespace errand
