#include "transaction/postgres/address.hpp"

#include <errand/error.hpp>

#include "transaction/postgres/pointers.hpp"
#include "transaction/statement_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace errand::postgres {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw usage_error{
        "the database's URL " + why +
        "; write postgres://user:password@host:port/database?option=value, with %-codes for special characters"};
}

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

// So the rest of a password that has a slash in it would be read as something that messages show.
void check_slashes(const std::string& url) {
    const auto slash = url.find('/', url.find("://") + 3);
    if (slash != url.npos && url.find('@') > slash && url.find('@', slash) != url.npos)
        refuse("has an @ after its first slash: write / as %2F in a password, and @ as %40 elsewhere");
}

// What is no number may be a part of a password that has a slash in it, so it is not shown.
void check_ports(const std::string& list) {
    if (list.find_first_not_of("0123456789,") != list.npos) refuse("has a port that is no number");
}

std::chrono::seconds timeout_of(const std::string& text) {
    int seconds = 0;
    const auto end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, seconds);
    if (failed != std::errc{} || at != end || seconds < 1)
        refuse("has a connect_timeout that is no number of seconds: \"" + text + "\"");
    return std::chrono::seconds{seconds};
}

}  // namespace

address parse_address(const std::string& url) {
    if (!url.starts_with("postgres://") && !url.starts_with("postgresql://"))
        refuse("does not begin with postgres://");
    check_slashes(url);
    char* said = nullptr;
    const options_ptr options{PQconninfoParse(url.c_str(), &said)};
    const auto why = without_secrets(said);
    PQfreemem(said);
    if (!options) refuse(why);

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
