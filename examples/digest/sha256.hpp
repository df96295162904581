#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

// SHA-256 as it comes along: add(...), add(...), hex().
class sha256 {
public:
    sha256();
    void add(const char* bytes, std::size_t count);
    // 64 hexadecimal digits, once.
    std::string hex();

private:
    struct free_context {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };
    std::unique_ptr<evp_md_ctx_st, free_context> context_;
};

std::string sha256_of(std::string_view text);
