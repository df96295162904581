#include "service/lmstfy/job_id.hpp"

#include <algorithm>

namespace errand::lmstfy {
namespace {

constexpr std::string_view crockford_digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t id_digits = 26;

char capital(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string job_text(const task_id& id, bool versioned) {
    std::string text(id_digits, '0');
    // From the end: 128 bits in 26 digits of five, of which the first has three.
    unsigned left = 0;
    unsigned bits = 0;
    std::size_t at = text.size();
    for (std::size_t i = id.bytes.size(); i-- > 0;) {
        left |= static_cast<unsigned>(id.bytes[i]) << bits;
        bits += 8;
        for (; bits >= 5; bits -= 5, left >>= 5U) text[--at] = crockford_digits[left & 31U];
    }
    text[--at] = crockford_digits[left & 31U];
    return versioned ? '1' + text : text;
}

std::optional<task_id> read_job_id(std::string_view text) noexcept {
    if (text.size() == id_digits + 1 && text.front() == '1') text.remove_prefix(1);
    // More than 128 bits are none.
    if (text.size() != id_digits || text.front() > '7') return std::nullopt;
    task_id id;
    unsigned left = 0;
    unsigned bits = 0;
    std::size_t at = id.bytes.size();
    for (std::size_t i = text.size(); i-- > 0;) {
        const auto digit = crockford_digits.find(capital(text[i]));
        if (digit == crockford_digits.npos) return std::nullopt;
        left |= static_cast<unsigned>(digit) << bits;
        bits += 5;
        if (bits < 8 || at == 0) continue;
        id.bytes[--at] = static_cast<unsigned char>(left & 0xFFU);
        bits -= 8;
        left >>= 8U;
    }
    return id;
}

}  // namespace errand::lmstfy
