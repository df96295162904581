#include "transaction/mysql/address.hpp"

#include <errand/error.hpp>

#include "core/url.hpp"

#include <optional>

namespace errand::mysql {
namespace {

// `part` must not be able to hold a password, nor a piece of one.
[[noreturn]] void refuse(std::string_view what, std::string_view part = {}) {
    const auto shown = part.empty() ? std::string{} : ": \"" + std::string{part} + "\"";
    throw usage_error{
        "the database's URL " + std::string{what} + shown +
        "; write mysql://user:password@host:port/database?option=value, with %-codes for special characters"};
}

void read_option(address& to, std::string_view option) {
    auto name = option;
    const auto value = url::cut(name, '=');
    if (name == "socket" && value.starts_with('/')) {
        to.socket = url::decoded(value);
    } else if (name == "tls" && (value == "on" || value == "off")) {
        to.tls = value == "on";
    } else if (name == "ca" && !value.empty()) {
        to.ca_file = url::decoded(value);
    } else if (name == "verify" && value == "none") {
        to.verify = false;
    } else if (const auto seconds = url::number(value, 3600).value_or(0);
               name == "connect_timeout" && seconds > 0) {
        to.connect_timeout = std::chrono::seconds{seconds};
    } else {
        refuse("has an option that is not known here", option);
    }
}

void read_login(address& to, std::string_view& rest) {
    const auto found = url::take_login(rest);
    if (!found && rest.find('@') != rest.npos)
        refuse("has an @ after its first slash: write / as %2F in a password, and @ as %40 elsewhere");
    if (!found) return;
    to.user = found->user;
    to.password = found->password;
}

void read_host(address& to, std::string_view text) {
    const auto server = url::host_port_of(text);
    if (!server.closed) refuse("has a host without its closing bracket");
    to.host = server.host;
    if (server.port.empty()) return;
    const auto port = server.port.starts_with(':') ? url::number(server.port.substr(1), 65535) : std::nullopt;
    if (!port || *port == 0) refuse("has a port that is no number from 1 to 65535");
    to.port = static_cast<unsigned short>(*port);
}

std::string shown(const address& to) {
    if (!to.socket.empty()) return "mysql://localhost/" + to.database + "?socket=" + to.socket;
    const bool v6 = to.host.find(':') != std::string::npos;
    return "mysql://" + (v6 ? "[" + to.host + "]" : to.host) + ":" + std::to_string(to.port) + "/" +
           to.database;
}

}  // namespace

address parse_address(std::string_view url) {
    constexpr std::string_view scheme = "mysql://";
    if (!url.starts_with(scheme)) refuse("does not begin with mysql://");
    auto rest = url.substr(scheme.size());
    address to;
    read_login(to, rest);
    auto options = url::cut(rest, '?');
    while (!options.empty()) {
        auto option = options;
        options = url::cut(option, '&');
        read_option(to, option);
    }
    const auto database = url::cut(rest, '/');
    to.database = url::decoded(database);
    read_host(to, rest);
    if (to.host.empty() && to.socket.empty()) refuse("names no host");
    to.shown = shown(to);
    return to;
}

}  // namespace errand::mysql
