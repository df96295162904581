// Any bytes as text of JSON: base64 in its standard alphabet, padded. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace errand::lmstfy {

std::string to_base64(std::string_view bytes);
// Nullopt: it is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace errand::lmstfy
