// Where metrics are shown, as `config::metrics` says it. Pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

struct metrics_address {
    std::string host;  // a numeric address without brackets; empty: all addresses of the machine
    std::uint16_t port = 0;
};

// ":9464", "127.0.0.1:9464", "[::1]:9464"; nullopt for anything else. Whether the host is an address is seen when it is listened on.
inline std::optional<metrics_address> parse_metrics_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == text.npos) return std::nullopt;
    auto host = text.substr(0, colon);
    const auto digits = text.substr(colon + 1);
    metrics_address read;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), read.port);
    if (ec != std::errc{} || end != digits.data() + digits.size() || read.port == 0) return std::nullopt;
    const bool brackets = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
    if (brackets) host = host.substr(1, host.size() - 2);
    if (!brackets && host.find(':') != host.npos) return std::nullopt;
    if (host.find_first_not_of("0123456789abcdefABCDEF.:") != host.npos) return std::nullopt;
    read.host = host;
    return read;
}

}  // namespace errand
