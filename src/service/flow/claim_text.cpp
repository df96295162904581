#include "service/flow/claim_text.hpp"

#include "core/hex.hpp"

#include <charconv>

namespace errand::flow {
namespace {

constexpr int hexadecimal = 16;
// Of a life, and of a part of an id.
constexpr std::size_t width = 16;

void write_number(std::string& to, std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) append_hex(to, static_cast<unsigned char>(number >> shift));
}

bool read_number(std::string_view text, std::uint64_t& number) {
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, hexadecimal);
    return error == std::errc{} && stop == end;
}

}  // namespace

std::uint64_t part_of(const task_id& id) {
    std::uint64_t part = 0;
    for (std::size_t at = id.bytes.size() / 2; at < id.bytes.size(); ++at) part = part << 8U | id.bytes[at];
    return part;
}

std::string text_of(const flow_claim& claim) {
    std::string text;
    write_number(text, claim.life);
    write_number(text, claim.task);
    return text + '.' + web::ticket_text(claim.by);
}

std::optional<flow_claim> read_claim_text(std::string_view text) {
    if (text.size() <= 2 * width || text[2 * width] != '.') return std::nullopt;
    flow_claim claim;
    auto by = web::read_ticket(text.substr(2 * width + 1));
    if (!read_number(text.substr(0, width), claim.life) ||
        !read_number(text.substr(width, width), claim.task) || !by)
        return std::nullopt;
    claim.by = std::move(*by);
    return claim;
}

}  // namespace errand::flow
