#include "service/flow/claim_text.hpp"

#include <charconv>

namespace errand::flow {
namespace {

constexpr int hexadecimal = 16;

}  // namespace

std::string text_of(const flow_claim& claim) {
    std::string life(2 * sizeof(incarnation), '0');
    auto left = claim.life;
    for (auto at = life.size(); at > 0; --at, left >>= 4U) life[at - 1] = "0123456789abcdef"[left & 15U];
    return life + '.' + web::ticket_text(claim.by);
}

std::optional<flow_claim> read_claim_text(std::string_view text) {
    constexpr std::size_t width = 2 * sizeof(incarnation);
    if (text.size() <= width || text[width] != '.') return std::nullopt;
    flow_claim claim;
    const auto* end = text.data() + width;
    const auto [stop, error] = std::from_chars(text.data(), end, claim.life, hexadecimal);
    auto by = web::read_ticket(text.substr(width + 1));
    if (error != std::errc{} || stop != end || !by) return std::nullopt;
    claim.by = std::move(*by);
    return claim;
}

}  // namespace errand::flow
