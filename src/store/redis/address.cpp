#include "store/redis/address.hpp"

#include <errand/error.hpp>

#include "core/server_url.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace errand::redis {
namespace {

constexpr url_form own_form{
    .subject = "the store's URL",
    .advice = "write redis://host:port/db, rediss://host:port/db, redis+unix:///path/of/socket, "
              "redis+cluster://host:port,host:port or redis+sentinel://host:port,host:port/name",
    .at_in_paths = true};

std::string_view read_database(address& to, std::string_view text) {
    const auto database = server_url::number(text, 1'000'000);
    to.database = database.value_or(0);
    return database ? std::string_view{} : "has a database that is no number";
}

using option = server_url::known_option<address>;

// Not in the words for any unknown option, which are said with its value.
void check_sentinels(const address& of) {
    if (of.kind != server_kind::sentinels)
        own_form.refuse("has a user or a password for Sentinels, and names none");
}

constexpr std::array<option, 6> url_options{{
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
    {"sentinel_user",
     [](address& to, std::string_view value) {
         check_sentinels(to);
         to.sentinel_user = server_url::decoded(value);
         return std::string_view{};
     }},
    {"sentinel_password",
     [](address& to, std::string_view value) {
         check_sentinels(to);
         to.sentinel_password = server_url::decoded(value);
         return std::string_view{};
     }},
}};

struct scheme {
    std::string_view name;
    server_kind kind = server_kind::single;
    bool tls = false;
};

constexpr std::array<scheme, 6> schemes{{
    {.name = "redis"},
    {.name = "rediss", .tls = true},
    {.name = "redis+unix"},
    {.name = "redis+cluster", .kind = server_kind::cluster},
    {.name = "rediss+cluster", .kind = server_kind::cluster, .tls = true},
    {.name = "redis+sentinel", .kind = server_kind::sentinels},
}};

scheme scheme_of(std::string_view name) {
    const auto* const known = std::ranges::find(schemes, name, &scheme::name);
    if (known != schemes.end()) return *known;
    if (name == "rediss+sentinel")
        own_form.refuse("asks for TLS behind Sentinels, which is not supported", name);
    own_form.refuse(name.empty() ? "has no scheme" : "has an unknown scheme", name);
}

constexpr std::string_view port_of_sentinels = "26379", port_of_servers = "6379";

// The places of a URL that names several, and the same URL with the first of them alone.
struct several {
    std::string with_first;
    std::vector<endpoint> all;
    std::string shown;  // with the commas between
};

several split_places(std::string_view text, const scheme& of) {
    const auto front = of.name.size() + 3;
    const auto rest = text.substr(front);
    // As server_url does: user and password stand before the last @ of what comes before the first slash.
    const auto at = rest.substr(0, rest.find('/')).rfind('@');
    const auto begin = at == rest.npos ? 0 : at + 1;
    const auto end = std::min(rest.find_first_of("/?", begin), rest.size());
    several found;
    for (auto from = begin; from <= end;) {
        const auto comma = std::min(rest.find(',', from), end);
        const auto one = rest.substr(from, comma - from);
        if (from == begin) found.with_first = std::string{text.substr(0, front + comma)};
        const auto alone = "redis://" + std::string{one};
        const server_url place{alone, own_form};
        if (place.host.empty()) own_form.refuse("names no host at one of its commas");
        const auto usual = of.kind == server_kind::sentinels ? port_of_sentinels : port_of_servers;
        found.all.push_back({std::string{place.host},
                             place.port ? std::to_string(*place.port) : std::string{usual}});
        from = comma + 1;
    }
    found.with_first += rest.substr(end);
    found.shown = std::string{text.substr(0, front)};
    found.shown += rest.substr(begin, std::min(rest.find('?', begin), rest.size()) - begin);
    return found;
}

address parse_one(std::string_view text, const scheme& of) {
    const server_url url{text, own_form};
    address to;
    to.kind = of.kind;
    to.tls = of.tls;
    to.user = url.user;
    to.password = url.password;
    to.shown = url.shown();
    const bool by_socket = of.name == "redis+unix";
    if (!by_socket && url.path.find('@') != url.path.npos) own_form.check_at(text.substr(of.name.size() + 3));
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
    const auto rest = url.path.substr(url.path.empty() ? 0 : 1);
    if (of.kind == server_kind::sentinels) {
        to.master = server_url::decoded(rest);
        if (to.master.empty()) own_form.refuse("does not say by which name the Sentinels know the master");
        return to;
    }
    if (rest.empty()) return to;
    if (const auto why = read_database(to, rest); !why.empty()) own_form.refuse(why, rest);
    return to;
}

}  // namespace

address parse_address(std::string_view text) {
    if (text.find("://") == text.npos) return parse_one(text, {});
    const auto of = scheme_of(server_url::scheme_of(text));
    if (of.kind == server_kind::single) return parse_one(text, of);
    auto places = split_places(text, of);
    auto to = parse_one(places.with_first, of);
    to.seeds = std::move(places.all);
    to.shown = std::move(places.shown);
    if (of.kind == server_kind::cluster && to.database != 0) {
        own_form.refuse("names a database, and a cluster has only one: leave it out",
                        std::to_string(to.database));
    }
    return to;
}

}  // namespace errand::redis
