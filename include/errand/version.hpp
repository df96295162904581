/// Which errand this program is built with.
#pragma once

#include <string_view>

namespace errand {

/// Of the library that is linked, as "0.9.0": MAJOR.MINOR.PATCH. Cheap, from any thread.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace errand
