#include "service/endpoint.hpp"

#include <errand/error.hpp>

#include "core/whole_number.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>

namespace errand::web {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw usage_error{"listen: \"" + text + "\" " + why +
                      "; write 127.0.0.1:7070, [::1]:7070, 0.0.0.0:7070 or unix:/run/errand.sock"};
}

}  // namespace

endpoint read_endpoint(const std::string& given, bool certified) {
    constexpr std::string_view plain = "http://", secure = "https://";
    if (given.starts_with(secure) && !certified) {
        throw usage_error{
            "listen: \"" + given +
            "\" is to speak TLS: name a certificate and its key (tls, --tls-certificate and --tls-key)"};
    }
    const bool says_plain = given.starts_with(plain), says_secure = given.starts_with(secure);
    const auto text = given.substr(says_plain ? plain.size() : says_secure ? secure.size() : 0);
    constexpr std::string_view scheme = "unix:";
    if (text.starts_with(scheme)) {
        // What the kernel takes, with its end.
        constexpr std::size_t longest = 107;
        auto path = text.substr(scheme.size());
        if (!path.starts_with('/') || path.size() > longest)
            refuse(text, "is no path of a socket: it begins with / and has at most 107 bytes");
        return {.path = std::move(path),
                .address = {},
                .port = 0,
                .local = true,
                .secure = says_secure,
                .said_secure = says_secure};
    }
    const bool secured = certified && !says_plain;
    constexpr std::string_view file_scheme = "fd:";
    if (text.starts_with(file_scheme)) {
        const auto file = whole_number<unsigned short>(std::string_view{text}.substr(file_scheme.size()));
        if (!file) refuse(text, "has no number of a file");
        return {.path = {},
                .address = {},
                .port = 0,
                .local = false,
                .secure = secured,
                .said_secure = says_secure,
                .inherited = *file};
    }
    const auto colon = text.rfind(':');
    if (colon == text.npos) refuse(text, "has no port");
    auto host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty()) host = "0.0.0.0";
    if (host == "localhost") host = "127.0.0.1";
    boost::system::error_code ec;
    const auto address = boost::asio::ip::make_address(host, ec);
    if (ec) refuse(text, "does not begin with an IP address");
    endpoint at{.path = {},
                .address = address.to_string(),
                .port = 0,
                .local = address.is_loopback(),
                .secure = secured,
                .said_secure = says_secure};
    const auto port = whole_number<std::uint16_t>(std::string_view{text}.substr(colon + 1));
    if (!port) refuse(text, "has no port from 0 to 65535");
    at.port = *port;
    return at;
}

std::string to_text(const endpoint& at) {
    if (!at.path.empty()) return (at.secure ? "https://unix:" : "unix:") + at.path;
    const bool six = at.address.find(':') != at.address.npos;
    return (at.secure ? "https://" : "http://") + (six ? '[' + at.address + ']' : at.address) + ':' +
           std::to_string(at.port);
}

}  // namespace errand::web
