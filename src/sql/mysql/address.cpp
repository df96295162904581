#include "sql/mysql/address.hpp"

#include "core/server_url.hpp"

#include <array>

namespace errand::mysql {
namespace {

constexpr url_form own_form{
    .subject = "the database's URL",
    .advice =
        "write mysql://user:password@host:port/database?option=value, with %-codes for special characters"};

using option = server_url::known_option<address>;

constexpr std::array<option, 5> url_options{{
    {"socket",
     [](address& to, std::string_view value) {
         to.socket = server_url::decoded(value);
         return value.starts_with('/') ? std::string_view{} : server_url::unknown;
     }},
    {"tls",
     [](address& to, std::string_view value) {
         to.tls = value == "on";
         return to.tls || value == "off" ? std::string_view{} : server_url::unknown;
     }},
    {"ca",
     [](address& to, std::string_view value) {
         to.ca_file = server_url::decoded(value);
         return value.empty() ? server_url::unknown : std::string_view{};
     }},
    {"verify",
     [](address& to, std::string_view value) {
         to.verify = false;
         return value == "none" ? std::string_view{} : server_url::unknown;
     }},
    {"connect_timeout",
     [](address& to, std::string_view value) {
         to.connect_timeout = std::chrono::seconds{server_url::number(value, 3600).value_or(0)};
         return to.connect_timeout > to.connect_timeout.zero() ? std::string_view{} : server_url::unknown;
     }},
}};

std::string shown(const address& to) {
    if (!to.socket.empty()) return "mysql://localhost/" + to.database + "?socket=" + to.socket;
    const bool v6 = to.host.find(':') != std::string::npos;
    return "mysql://" + (v6 ? "[" + to.host + "]" : to.host) + ":" + std::to_string(to.port) + "/" +
           to.database;
}

}  // namespace

address parse_address(std::string_view text) {
    if (server_url::scheme_of(text) != "mysql") own_form.refuse("does not begin with mysql://");
    const server_url url{text, own_form};
    address to;
    to.user = url.user;
    to.password = url.password;
    to.host = url.host;
    to.port = url.port.value_or(to.port);
    to.database = server_url::decoded(url.path.substr(url.path.empty() ? 0 : 1));
    url.read_options(to, url_options);
    if (to.host.empty() && to.socket.empty()) own_form.refuse("names no host");
    to.shown = shown(to);
    return to;
}

}  // namespace errand::mysql
