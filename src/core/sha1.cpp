#include "core/sha1.hpp"

#include "core/hex.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace errand {

std::string sha1(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
        throw std::runtime_error{"OpenSSL could not compute a SHA-1"};
    return to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace errand
