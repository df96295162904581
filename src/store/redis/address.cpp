#include "store/redis/address.hpp"

#include <errand/error.hpp>

#include <charconv>
#include <optional>

namespace errand::redis {
namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view part) {
    throw usage_error{
        "the store's URL " + std::string{what} + " \"" + std::string{part} +
        "\"; write redis://host:port/db, rediss://host:port/db or redis+unix:///path/of/socket"};
}

std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned value = 0;
        if (text[at] == '%' && at + 2 < text.size() &&
            std::from_chars(text.data() + at + 1, text.data() + at + 3, value, 16).ptr ==
                text.data() + at + 3) {
            plain.push_back(static_cast<char>(value));
            at += 2;
        } else {
            plain.push_back(text[at]);
        }
    }
    return plain;
}

std::optional<int> number(std::string_view text, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > most)
        return std::nullopt;
    return value;
}

// Splits at the first `mark`; what is after it is empty when there is none.
std::string_view cut(std::string_view& from, char mark) {
    const auto at = from.find(mark);
    const auto rest = at == from.npos ? std::string_view{} : from.substr(at + 1);
    from = from.substr(0, at);
    return rest;
}

void read_database(address& to, std::string_view text) {
    const auto database = number(text, 1'000'000);
    if (!database) refuse("has a database that is no number:", text);
    to.database = *database;
}

void read_options(address& to, std::string_view options) {
    while (!options.empty()) {
        auto option = options;
        options = cut(option, '&');
        auto name = option;
        const auto value = cut(name, '=');
        if (name == "db") {
            read_database(to, value);
        } else if (name == "ca" && to.tls) {
            to.ca_file = decoded(value);
        } else if (name == "verify" && value == "none" && to.tls) {
            to.verify = false;
        } else {
            refuse("has an option that is not known here:", option);
        }
    }
}

void read_login(address& to, std::string_view& rest) {
    const auto at = rest.substr(0, rest.find('/')).rfind('@');
    if (at == rest.npos) return;
    auto user = rest.substr(0, at);
    to.password = decoded(cut(user, ':'));
    to.user = decoded(user);
    rest.remove_prefix(at + 1);
}

void read_host(address& to, std::string_view place) {
    if (place.starts_with('[')) {  // an IPv6 address
        const auto end = place.find(']');
        if (end == place.npos) refuse("has a host without its closing bracket:", place);
        to.host = place.substr(1, end - 1);
        place.remove_prefix(end + 1);
    } else {
        auto host = place;
        cut(host, ':');
        to.host = host;
        place.remove_prefix(host.size());
    }
    if (to.host.empty()) refuse("names no host:", to.shown);
    if (place.empty()) return;
    const auto port = place.starts_with(':') ? number(place.substr(1), 65535) : std::nullopt;
    if (!port || *port == 0) refuse("has a port that is no number from 1 to 65535:", place.substr(1));
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
    const auto options = cut(rest, '?');
    read_options(to, options);
    if (scheme == "redis+unix") {
        if (!rest.starts_with('/') || rest.size() < 2) refuse("names no absolute socket path:", rest);
        to.unix_path = decoded(rest);
        return to;
    }
    const auto database = cut(rest, '/');
    read_host(to, rest);
    if (!database.empty()) read_database(to, database);
    return to;
}

}  // namespace errand::redis
