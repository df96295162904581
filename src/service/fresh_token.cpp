#include "service/fresh_token.hpp"

#include <errand/error.hpp>

#include "core/hex.hpp"

#include <array>
#include <sys/random.h>

namespace errand::web {

std::string fresh_token() {
    std::array<unsigned char, 32> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw error{"the system has no random bytes to give"};
    return "errand_" + to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace errand::web
