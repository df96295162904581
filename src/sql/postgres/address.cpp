#include "sql/postgres/address.hpp"

#include "core/server_url.hpp"
#include "sql/postgres/pointers.hpp"
#include "sql/statement_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace errand::postgres {
namespace {

constexpr url_form own_form{
    .subject = "the database's URL",
    .advice =
        "write postgres://user:password@host:port/database?option=value, with %-codes for special characters"};

// libpq quotes the URL in what it says of it, password and all; the name of an option is all that is safe to pass on.
std::string without_secrets(const char* said) {
    const std::string_view text{said ? said : ""};
    if (text.starts_with("invalid URI query parameter")) return "has an " + sql::one_line(text);
    return "cannot be read";
}

std::string setting(const address& to, const std::string& name) {
    const auto found = to.settings.find(name);
    return found == to.settings.end() ? "" : found->second;
}

std::string shown(const address& to) {
    const auto host = setting(to, "host");
    const auto port = setting(to, "port");
    const auto database = setting(to, "dbname");
    if (host.empty() || host.starts_with('/'))
        return "postgres:///" + database + (host.empty() ? "" : "?host=" + host);
    return "postgres://" + host + (port.empty() ? "" : ":" + port) + "/" + database;
}

// What is no number may be a part of a password that has a slash in it, so it is not shown.
void check_ports(const std::string& list) {
    if (list.find_first_not_of("0123456789,") != list.npos) own_form.refuse("has a port that is no number");
}

std::chrono::seconds timeout_of(const std::string& text) {
    int seconds = 0;
    const auto end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, seconds);
    if (failed != std::errc{} || at != end || seconds < 1)
        own_form.refuse("has a connect_timeout that is no number of seconds", text);
    return std::chrono::seconds{seconds};
}

}  // namespace

address parse_address(const std::string& url) {
    const auto scheme = server_url::scheme_of(url);
    if (scheme != "postgres" && scheme != "postgresql") own_form.refuse("does not begin with postgres://");
    own_form.check_at(std::string_view{url}.substr(scheme.size() + 3));
    char* said = nullptr;
    const options_ptr options{PQconninfoParse(url.c_str(), &said)};
    const auto why = without_secrets(said);
    PQfreemem(said);
    if (!options) own_form.refuse(why);

    address to;
    for (auto* one = options.get(); one->keyword; ++one)
        if (one->val) to.settings.emplace(one->keyword, one->val);
    check_ports(setting(to, "port"));
    to.shown = shown(to);
    if (const auto limit = setting(to, "connect_timeout"); !limit.empty())
        to.connect_timeout = timeout_of(limit);
    // libpq would take the host from here, and look it up in a way that blocks.
    if (const char* host = std::getenv("PGHOST"); host && *host) to.settings.try_emplace("host", host);
    to.settings.try_emplace("fallback_application_name", "errand");
    // Looking for Kerberos costs a round trip and blocks; who wants it asks for it.
    to.settings.try_emplace("gssencmode", "disable");
    // Texts are UTF-8 here, whatever the environment says.
    to.settings["client_encoding"] = "UTF8";
    return to;
}

}  // namespace errand::postgres
