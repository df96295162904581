#include "service/lmstfy/token_record.hpp"

#include "core/bytes.hpp"
#include "core/hex.hpp"
#include "core/sha256.hpp"

#include <algorithm>

namespace errand::lmstfy {
namespace {

constexpr std::string_view record_front = "\x01lmstfy\n";
constexpr std::string_view shown_front = "sha256-";
constexpr std::size_t shown_digits = 16;
constexpr std::uint8_t record_format = 2;
// In it nothing says where a token ends.
constexpr std::uint8_t unframed_format = 1;
constexpr std::size_t stamp_bytes = 8;

std::string_view view_of(const std::array<unsigned char, 32>& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string encode_token(const kept_token& one) {
    if (one.unread) return *one.unread;
    std::string bytes;
    byte_writer out{bytes};
    out.rest(view_of(one.digest));
    out.text(one.description);
    out.u8(one.limit ? 1 : 0);
    if (one.limit) {
        out.signed_number(one.limit->read);
        out.signed_number(one.limit->write);
        out.signed_number(one.limit->interval);
    }
    out.rest(one.added);
    return bytes;
}

kept_token read_token(byte_reader& in) {
    kept_token one;
    std::ranges::transform(in.take(one.digest.size()), one.digest.begin(),
                           [](char c) { return static_cast<unsigned char>(c); });
    one.description = in.text();
    const auto limited = in.u8();
    if (limited > 1) in.fail("has a limit of a kind that this version of errand does not know");
    if (limited == 0) return one;
    request_limit limit;
    limit.read = in.signed_number();
    limit.write = in.signed_number();
    limit.interval = in.signed_number();
    one.limit = limit;
    return one;
}

kept_token decode_token(std::string_view bytes) {
    try {
        byte_reader in{bytes, "token of lmstfy's API"};
        auto one = read_token(in);
        one.added = in.rest();
        return one;
    } catch (const bad_data&) {
        return {.digest = sha256(bytes),
                .description = "a token that this version of errand cannot read",
                .unread = std::string{bytes}};
    }
}

}  // namespace

std::string shown_name(const kept_token& of) {
    return std::string{shown_front} + to_hex(view_of(of.digest)).substr(0, shown_digits);
}

bool is_shown_name(std::string_view text) noexcept {
    return text.starts_with(shown_front) && text.size() == shown_front.size() + shown_digits;
}

std::array<unsigned char, 32> digest_of(std::string_view token) { return sha256(token); }

std::array<unsigned char, 32> count_key(const token_place& where,
                                        const std::array<unsigned char, 32>& digest) {
    return sha256(token_record_name(where.pool, where.name_space).append("\n").append(view_of(digest)));
}

const kept_token* token_with(const std::vector<kept_token>& all,
                             const std::array<unsigned char, 32>& digest) {
    const kept_token* found = nullptr;
    for (const auto& one : all) {
        unsigned different = 0;
        for (std::size_t i = 0; i < digest.size(); ++i)
            different |= static_cast<unsigned>(digest[i] ^ one.digest[i]);
        if (different == 0 && !one.unread) found = &one;
    }
    return found;
}

std::vector<kept_token>::iterator token_named(std::vector<kept_token>& all, std::string_view text) {
    if (is_shown_name(text))
        return std::ranges::find_if(all, [&](const kept_token& one) { return shown_name(one) == text; });
    const auto digest = digest_of(text);
    return std::ranges::find_if(all, [&](const kept_token& one) { return one.digest == digest; });
}

std::string token_record_name(std::string_view pool, std::string_view name_space) {
    return std::string{record_front}.append(pool).append("\n").append(name_space);
}

std::optional<token_place> place_of_tokens(std::string_view record_name) {
    if (!record_name.starts_with(record_front)) return std::nullopt;
    record_name.remove_prefix(record_front.size());
    const auto end = record_name.find('\n');
    if (end == record_name.npos) return std::nullopt;
    return token_place{std::string{record_name.substr(0, end)}, std::string{record_name.substr(end + 1)}};
}

std::uint64_t stamp_of(std::string_view record) noexcept {
    std::uint64_t stamp = 0;
    for (const char c : record.substr(0, stamp_bytes)) stamp = stamp << 8U | static_cast<unsigned char>(c);
    return stamp;
}

std::string encode_tokens(const std::vector<kept_token>& all, std::uint64_t stamp) {
    std::string bytes;
    if (all.empty()) return bytes;
    byte_writer out{bytes};
    out.fixed(stamp, stamp_bytes);
    out.u8(record_format);
    out.number(all.size());
    for (const auto& one : all) out.text(encode_token(one));
    return bytes;
}

std::vector<kept_token> decode_tokens(std::string_view record) {
    std::vector<kept_token> all;
    if (record.empty()) return all;
    byte_reader in{record, "tokens of lmstfy's API"};
    in.fixed(stamp_bytes);
    const auto format = in.u8();
    if (format != record_format && format != unframed_format)
        in.fail("have a format that this version of errand does not know");
    for (auto left = in.number(); left > 0; --left)
        all.push_back(format == unframed_format ? read_token(in) : decode_token(in.text()));
    return all;
}

}  // namespace errand::lmstfy
