// AES-256-GCM with nonces of 24 bytes (XAES-256-GCM, c2sp.org/XAES-256-GCM), by OpenSSL. Nonces of that size may be drawn at random
// for as long as a key is used; GCM's own 12 bytes may only for some billions of texts.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

class xaes_key {
public:
    static constexpr std::size_t key_size = 32;
    static constexpr std::size_t nonce_size = 24;
    static constexpr std::size_t tag_size = 16;

    // Exactly key_size bytes.
    explicit xaes_key(std::string_view secret);
    ~xaes_key();
    xaes_key(const xaes_key&) = delete;
    xaes_key& operator=(const xaes_key&) = delete;

    // The encrypted text and its tag. `bound_to` is not in it, and has to be the same when it is opened. From any thread.
    std::string seal(std::string_view nonce, std::string_view plain, std::string_view bound_to) const;
    // Nullopt: it was changed, or is bound to something else, or is of another key.
    std::optional<std::string> open(std::string_view nonce, std::string_view sealed,
                                    std::string_view bound_to) const;

private:
    using block = std::array<unsigned char, 16>;

    std::array<unsigned char, key_size> key_of(std::string_view nonce) const;

    std::array<unsigned char, key_size> secret_{};
    block mask_{};  // K1 of CMAC
};

// Another one each time, also in processes that were forked from one.
std::array<char, xaes_key::nonce_size> fresh_nonce();

}  // namespace errand
