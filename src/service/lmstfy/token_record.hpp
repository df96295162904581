// The tokens of one namespace of one pool, as the service's own store keeps them: among what is set of handlers, under a name
// that none can have. Of a token its SHA-256 is kept: what the store holds lets nobody in. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::lmstfy {

// Requests in any `interval`; 0 of a kind: as many as come.
struct request_limit {
    std::int64_t read = 0;
    std::int64_t write = 0;
    std::int64_t interval = 0;  // seconds
    friend bool operator==(const request_limit&, const request_limit&) = default;
};

// A namespace of a pool.
struct token_place {
    std::string pool;
    std::string name_space;
    friend auto operator<=>(const token_place&, const token_place&) = default;
};

struct kept_token {
    std::array<unsigned char, 32> digest{};
    std::string description{};
    std::optional<request_limit> limit{};
    std::string added{};  // what a newer version says besides
    // As it is kept, of one that this version cannot read: it lets nobody in, and goes by the SHA-256 of these bytes.
    std::optional<std::string> unread{};
};

// "sha256-" and the first 16 hexadecimal digits of the digest: by this a token is listed.
std::string shown_name(const kept_token& of);
bool is_shown_name(std::string_view text) noexcept;

std::array<unsigned char, 32> digest_of(std::string_view token);
// By what its requests are counted: the same token in another namespace or pool is another.
std::array<unsigned char, 32> count_key(const token_place& where,
                                        const std::array<unsigned char, 32>& digest);
// Null: none of them. It takes as long whatever the token has in common with others.
const kept_token* token_with(const std::vector<kept_token>& all, const std::array<unsigned char, 32>& digest);
// The one that is meant by a token or by the name under which it is listed.
std::vector<kept_token>::iterator token_named(std::vector<kept_token>& all, std::string_view text);

// Under which name a namespace's tokens are kept, and back.
std::string token_record_name(std::string_view pool, std::string_view name_space);
std::optional<token_place> place_of_tokens(std::string_view record_name);

std::uint64_t stamp_of(std::string_view record) noexcept;
// Empty when there is no token. The stamp tells it from any other.
std::string encode_tokens(const std::vector<kept_token>& all, std::uint64_t stamp);
// Whoever of them cannot be read keeps no other out. Throws bad_data when nothing of the record can be read.
std::vector<kept_token> decode_tokens(std::string_view record);

}  // namespace errand::lmstfy
