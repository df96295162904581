#include "core/sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace errand {

std::array<unsigned char, 32> sha256(std::string_view text) {
    std::array<unsigned char, 32> digest{};
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error{"OpenSSL could not compute a SHA-256"};
    }
    return digest;
}

std::string eight_bytes(std::uint64_t value) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift & 0xff));
    return bytes;
}

std::string with_length(std::string_view part) { return eight_bytes(part.size()).append(part); }

std::uint64_t drawn_number(std::string_view text) {
    const auto digest = sha256(text);
    std::uint64_t value = 0;
    for (std::size_t at = 0; at < 8; ++at) value = value << 8 | digest[at];
    return value;
}

}  // namespace errand
