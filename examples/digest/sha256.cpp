#include "sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace {
void check(int good) {
    if (good != 1) throw std::runtime_error{"OpenSSL cannot compute SHA-256"};
}

// Looked up once: finding an algorithm by name costs more than digesting a small file.
const EVP_MD* algorithm() {
    static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return found;
}
}  // namespace

void sha256::free_context::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

sha256::sha256() : context_{EVP_MD_CTX_new()} {
    check(EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr));
}

void sha256::add(const char* bytes, std::size_t count) {
    check(EVP_DigestUpdate(context_.get(), bytes, count));
}

std::string sha256::hex() {
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context_.get(), raw, &size));
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[raw[i] >> 4U];
        text += digits[raw[i] & 0xFU];
    }
    return text;
}

std::string sha256_of(std::string_view text) {
    sha256 all;
    all.add(text.data(), text.size());
    return all.hex();
}
