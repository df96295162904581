#include "service/console/session.hpp"

#include "core/hex.hpp"
#include "core/sha256.hpp"
#include "service/fresh_token.hpp"

#include <algorithm>
#include <charconv>

namespace errand::console {
namespace {

std::string bytes_of(const std::array<unsigned char, 32>& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// HMAC-SHA-256, of a key of a block at most.
std::string sealed(const std::string& key, std::string_view text) {
    constexpr std::size_t block = 64;
    std::string inner(block, '\x36');
    std::string outer(block, '\x5c');
    for (std::size_t i = 0; i < key.size(); ++i) {
        inner[i] = static_cast<char>(inner[i] ^ key[i]);
        outer[i] = static_cast<char>(outer[i] ^ key[i]);
    }
    inner += text;
    return bytes_of(sha256(outer + bytes_of(sha256(inner))));
}

bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned>(a[i] ^ b[i]);
    return different == 0;
}

}  // namespace

sessions::sessions() : key_{bytes_of(sha256(web::fresh_token()))} {}

// Over the token's digest too: who has another token by now has another session.
std::string sessions::seal(const web::token_holder& who, std::int64_t until) const {
    return to_hex(sealed(key_, with_length(who.name) + with_length(bytes_of(who.digest)) +
                                   eight_bytes(static_cast<std::uint64_t>(until))));
}

std::string sessions::text_for(const web::token_holder& who, std::int64_t until) const {
    return who.name + ':' + std::to_string(until) + ':' + seal(who, until);
}

const web::token_holder* sessions::holder_of(std::string_view text, const std::vector<web::token_holder>& all,
                                             std::int64_t now) const {
    const auto last = text.rfind(':');
    const auto first = last == text.npos || last == 0 ? text.npos : text.rfind(':', last - 1);
    if (first == text.npos) return nullptr;
    const auto name = text.substr(0, first);
    const auto number = text.substr(first + 1, last - first - 1);
    std::int64_t until = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), until);
    if (read.ec != std::errc{} || read.ptr != number.data() + number.size() || until <= now) return nullptr;
    for (const auto& one : all) {
        if (one.name == name && same(seal(one, until), text.substr(last + 1))) return &one;
    }
    return nullptr;
}

std::string cookie_in(const web::request& in, std::string_view name) {
    for (const auto& one : in.headers) {
        if (!web::same_header_name(one.name, "Cookie")) continue;
        std::string_view rest = one.value;
        while (!rest.empty()) {
            const auto end = std::min(rest.find(';'), rest.size());
            auto part = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
            const auto equals = part.find('=');
            if (equals != part.npos && part.substr(0, equals) == name)
                return std::string{part.substr(equals + 1)};
        }
    }
    return {};
}

}  // namespace errand::console
