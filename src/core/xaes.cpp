// The one source that encrypts. What OpenSSL needs for it is kept for each thread: fetching a cipher or making a context costs more
// than encrypting a task's arguments.
#include "core/xaes.hpp"

#include <errand/error.hpp>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <climits>
#include <memory>

namespace errand {
namespace {

using bytes_32 = std::array<unsigned char, xaes_key::key_size>;

[[noreturn]] void give_up(const char* what) { throw error{what}; }

void need(bool done) {
    if (!done) give_up("OpenSSL could not encrypt or decrypt");
}

const EVP_CIPHER* cipher_of(const char* name) {
    auto* const found = EVP_CIPHER_fetch(nullptr, name, nullptr);
    if (!found) give_up("OpenSSL has no AES-256 here: is its default provider loaded?");
    return found;
}

const EVP_CIPHER* gcm_cipher() {
    static const EVP_CIPHER* const one = cipher_of("AES-256-GCM");
    return one;
}

const EVP_CIPHER* block_cipher() {
    static const EVP_CIPHER* const one = cipher_of("AES-256-ECB");
    return one;
}

struct cipher_context_deleter {
    void operator()(EVP_CIPHER_CTX* one) const noexcept { EVP_CIPHER_CTX_free(one); }
};
using cipher_context = std::unique_ptr<EVP_CIPHER_CTX, cipher_context_deleter>;

EVP_CIPHER_CTX* gcm_context() {
    thread_local const cipher_context one{EVP_CIPHER_CTX_new()};
    need(one != nullptr);
    return one.get();
}

EVP_CIPHER_CTX* block_context() {
    thread_local const cipher_context one{EVP_CIPHER_CTX_new()};
    need(one != nullptr);
    return one.get();
}

const unsigned char* data_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* data_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

int length_of(std::string_view text) {
    need(text.size() <= INT_MAX / 2);
    return static_cast<int>(text.size());
}

// Whole blocks, each by itself.
void encrypt_blocks(const bytes_32& key, const unsigned char* from, unsigned char* to, int length) {
    auto* const with = block_context();
    int done = 0;
    need(EVP_EncryptInit_ex2(with, block_cipher(), key.data(), nullptr, nullptr) == 1);
    need(EVP_CIPHER_CTX_set_padding(with, 0) == 1);
    need(EVP_EncryptUpdate(with, to, &done, from, length) == 1 && done == length);
}

// A key for one text, gone with the scope.
struct derived_key {
    bytes_32 bytes;
    ~derived_key() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

// GCM's own nonce is the end of the long one.
const unsigned char* rest_of(std::string_view nonce) { return data_of(nonce) + 12; }

}  // namespace

xaes_key::xaes_key(std::string_view secret) {
    need(secret.size() == key_size);
    std::ranges::copy(secret, secret_.begin());
    const block zeros{};
    block enciphered{};
    encrypt_blocks(secret_, zeros.data(), enciphered.data(), static_cast<int>(zeros.size()));
    // Doubled in GF(2^128), as CMAC does it.
    unsigned carry = 0;
    for (auto at = enciphered.size(); at > 0; --at) {
        const unsigned doubled = static_cast<unsigned>(enciphered[at - 1]) << 1U | carry;
        mask_[at - 1] = static_cast<unsigned char>(doubled & 0xFFU);
        carry = doubled >> 8U;
    }
    if (carry != 0) mask_.back() = static_cast<unsigned char>(mask_.back() ^ 0x87U);
}

xaes_key::~xaes_key() {
    OPENSSL_cleanse(secret_.data(), secret_.size());
    OPENSSL_cleanse(mask_.data(), mask_.size());
}

// Two blocks of CMAC in counter mode over the first half of the nonce.
std::array<unsigned char, xaes_key::key_size> xaes_key::key_of(std::string_view nonce) const {
    need(nonce.size() == nonce_size);
    bytes_32 asked{};
    for (std::size_t part = 0; part < 2; ++part) {
        block one{0, static_cast<unsigned char>(part + 1), 'X', 0};
        std::copy_n(data_of(nonce), 12, one.begin() + 4);
        for (std::size_t at = 0; at < one.size(); ++at)
            asked[part * one.size() + at] = static_cast<unsigned char>(one[at] ^ mask_[at]);
    }
    bytes_32 key{};
    encrypt_blocks(secret_, asked.data(), key.data(), static_cast<int>(asked.size()));
    return key;
}

std::string xaes_key::seal(std::string_view nonce, std::string_view plain, std::string_view bound_to) const {
    const derived_key key{key_of(nonce)};
    auto* const with = gcm_context();
    std::string sealed(plain.size() + tag_size, '\0');
    int done = 0;
    int rest = 0;
    need(EVP_EncryptInit_ex2(with, gcm_cipher(), key.bytes.data(), rest_of(nonce), nullptr) == 1);
    need(EVP_EncryptUpdate(with, nullptr, &done, data_of(bound_to), length_of(bound_to)) == 1);
    need(EVP_EncryptUpdate(with, data_of(sealed), &done, data_of(plain), length_of(plain)) == 1);
    need(EVP_EncryptFinal_ex(with, data_of(sealed) + done, &rest) == 1);
    need(EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_AEAD_GET_TAG, tag_size, data_of(sealed) + plain.size()) == 1);
    return sealed;
}

std::optional<std::string> xaes_key::open(std::string_view nonce, std::string_view sealed,
                                          std::string_view bound_to) const {
    if (sealed.size() < tag_size) return std::nullopt;
    const auto content = sealed.substr(0, sealed.size() - tag_size);
    std::string tag{sealed.substr(content.size())};
    const derived_key key{key_of(nonce)};
    auto* const with = gcm_context();
    std::string plain(content.size(), '\0');
    int done = 0;
    int rest = 0;
    need(EVP_DecryptInit_ex2(with, gcm_cipher(), key.bytes.data(), rest_of(nonce), nullptr) == 1);
    need(EVP_DecryptUpdate(with, nullptr, &done, data_of(bound_to), length_of(bound_to)) == 1);
    need(EVP_DecryptUpdate(with, data_of(plain), &done, data_of(content), length_of(content)) == 1);
    need(EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_AEAD_SET_TAG, tag_size, data_of(tag)) == 1);
    // Nothing of the text is shown before its tag has been found right.
    if (EVP_DecryptFinal_ex(with, data_of(plain) + done, &rest) != 1) {
        OPENSSL_cleanse(plain.data(), plain.size());
        ERR_clear_error();  // whoever uses TLS on this thread would take it for its own
        return std::nullopt;
    }
    return plain;
}

std::array<char, xaes_key::nonce_size> fresh_nonce() {
    std::array<unsigned char, xaes_key::nonce_size> drawn{};
    need(RAND_bytes(drawn.data(), static_cast<int>(drawn.size())) == 1);
    std::array<char, xaes_key::nonce_size> nonce{};
    std::ranges::transform(drawn, nonce.begin(), [](unsigned char one) { return static_cast<char>(one); });
    return nonce;
}

}  // namespace errand
