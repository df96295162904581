#include <errand/version.hpp>

namespace errand {

std::string_view version() noexcept { return ERRAND_VERSION; }

}  // namespace errand
