#include "store/redis/address.hpp"

#include <errand/error.hpp>

#include "core/url.hpp"

#include <optional>

namespace errand::redis {
namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view part) {
    throw usage_error{
        "the store's URL " + std::string{what} + " \"" + std::string{part} +
        "\"; write redis://host:port/db, rediss://host:port/db or redis+unix:///path/of/socket"};
}

void read_database(address& to, std::string_view text) {
    const auto database = url::number(text, 1'000'000);
    if (!database) refuse("has a database that is no number:", text);
    to.database = *database;
}

void read_wait(address& to, std::string_view text) {
    const auto wait = url::number(text, 100);
    if (!wait) refuse("has an option wait that is no number of replicas from 0 to 100:", text);
    to.wait = *wait;
}

void read_options(address& to, std::string_view options) {
    while (!options.empty()) {
        auto option = options;
        options = url::cut(option, '&');
        auto name = option;
        const auto value = url::cut(name, '=');
        if (name == "db") {
            read_database(to, value);
        } else if (name == "wait") {
            read_wait(to, value);
        } else if (name == "ca" && to.tls) {
            to.ca_file = url::decoded(value);
        } else if (name == "verify" && value == "none" && to.tls) {
            to.verify = false;
        } else {
            refuse("has an option that is not known here:", option);
        }
    }
}

void read_login(address& to, std::string_view& rest) {
    const auto found = url::take_login(rest);
    if (!found) return;
    to.user = found->user;
    to.password = found->password;
}

void read_host(address& to, std::string_view text) {
    const auto server = url::host_port_of(text);
    if (!server.closed) refuse("has a host without its closing bracket:", text);
    to.host = server.host;
    if (to.host.empty()) refuse("names no host:", to.shown);
    if (server.port.empty()) return;
    const auto port = server.port.starts_with(':') ? url::number(server.port.substr(1), 65535) : std::nullopt;
    if (!port || *port == 0) refuse("has a port that is no number from 1 to 65535:", server.port.substr(1));
    to.port = std::to_string(*port);
}

}  // namespace

address parse_address(std::string_view url) {
    const auto colon = url.find("://");
    if (colon == url.npos) refuse("has no scheme:", url.substr(0, url.rfind('@') == url.npos ? url.npos : 0));
    const auto scheme = url.substr(0, colon);
    auto rest = url.substr(colon + 3);
    if (scheme == "redis+cluster" || scheme == "redis+sentinel") {
        throw usage_error{"a store URL with the scheme " + std::string{scheme} +
                          ":// is not supported yet; use redis://, rediss:// or redis+unix://"};
    }
    if (scheme != "redis" && scheme != "rediss" && scheme != "redis+unix")
        refuse("has an unknown scheme:", scheme);

    address to;
    to.tls = scheme == "rediss";
    read_login(to, rest);
    to.shown = std::string{scheme} + "://" + std::string{rest.substr(0, rest.find('?'))};
    const auto options = url::cut(rest, '?');
    read_options(to, options);
    if (scheme == "redis+unix") {
        if (!rest.starts_with('/') || rest.size() < 2) refuse("names no absolute socket path:", rest);
        to.unix_path = url::decoded(rest);
        return to;
    }
    const auto database = url::cut(rest, '/');
    read_host(to, rest);
    if (!database.empty()) read_database(to, database);
    return to;
}

}  // namespace errand::redis
