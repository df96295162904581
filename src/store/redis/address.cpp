#include "store/redis/address.hpp"

#include <errand/error.hpp>

#include "core/server_url.hpp"

#include <array>

namespace errand::redis {
namespace {

constexpr url_form own_form{
    .subject = "the store's URL",
    .advice = "write redis://host:port/db, rediss://host:port/db or redis+unix:///path/of/socket",
    .at_in_paths = true};

std::string_view read_database(address& to, std::string_view text) {
    const auto database = server_url::number(text, 1'000'000);
    to.database = database.value_or(0);
    return database ? std::string_view{} : "has a database that is no number";
}

using option = server_url::known_option<address>;

constexpr std::array<option, 4> url_options{{
    {"db", read_database},
    {"wait",
     [](address& to, std::string_view value) {
         const auto replicas = server_url::number(value, 100);
         to.wait = replicas.value_or(0);
         return replicas ? std::string_view{}
                         : "has an option wait that is no number of replicas from 0 to 100";
     }},
    {"ca",
     [](address& to, std::string_view value) {
         to.ca_file = server_url::decoded(value);
         return to.tls ? std::string_view{} : server_url::unknown;
     }},
    {"verify",
     [](address& to, std::string_view value) {
         to.verify = false;
         return to.tls && value == "none" ? std::string_view{} : server_url::unknown;
     }},
}};

void check_scheme(std::string_view scheme) {
    if (scheme == "redis+cluster" || scheme == "redis+sentinel") {
        throw usage_error{"a store URL with the scheme " + std::string{scheme} +
                          ":// is not supported yet; use redis://, rediss:// or redis+unix://"};
    }
    if (!scheme.empty() && scheme != "redis" && scheme != "rediss" && scheme != "redis+unix")
        own_form.refuse("has an unknown scheme", scheme);
}

}  // namespace

address parse_address(std::string_view text) {
    check_scheme(server_url::scheme_of(text));
    const server_url url{text, own_form};
    address to;
    to.tls = url.scheme == "rediss";
    to.user = url.user;
    to.password = url.password;
    to.shown = url.shown();
    const bool by_socket = url.scheme == "redis+unix";
    if (!by_socket && url.path.find('@') != url.path.npos)
        own_form.check_at(text.substr(url.scheme.size() + 3));
    url.read_options(to, url_options);
    if (by_socket) {
        if (!url.host.empty() || url.path.size() < 2)
            own_form.refuse("names no absolute socket path", url.host);
        to.unix_path = server_url::decoded(url.path);
        return to;
    }
    if (url.host.empty()) own_form.refuse("names no host");
    to.host = url.host;
    if (url.port) to.port = std::to_string(*url.port);
    const auto database = url.path.substr(url.path.empty() ? 0 : 1);
    if (database.empty()) return to;
    if (const auto why = read_database(to, database); !why.empty()) own_form.refuse(why, database);
    return to;
}

}  // namespace errand::redis
