#include "cli/given_sockets.hpp"

#include <errand/error.hpp>

#include "core/whole_number.hpp"

#include <cstdlib>
#include <unistd.h>

namespace errand::cli {
namespace {

std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>{value} : std::nullopt;
}

std::vector<std::string> parts_between_colons(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0;;) {
        const auto colon = text.find(':', at);
        parts.push_back(text.substr(at, colon - at));
        if (colon == text.npos) return parts;
        at = colon + 1;
    }
}

// What systemd says when the unit says nothing: the unit's own name.
bool is_no_name(const std::string& name) {
    return name.empty() || name == "unknown" || name.ends_with(".socket");
}

}  // namespace

std::vector<given_socket> given_sockets(long own, const std::optional<std::string>& pid,
                                        const std::optional<std::string>& count,
                                        const std::optional<std::string>& names) {
    constexpr unsigned first = 3, most = 1024;
    // Variables of another process are inherited by all below it.
    if (!pid || !count || whole_number<long>(*pid) != own) return {};
    const auto files = whole_number<unsigned>(*count);
    if (!files || *files > most) throw usage_error{"LISTEN_FDS=" + *count + " is no number of sockets"};
    const auto said = names ? parts_between_colons(*names) : std::vector<std::string>(*files);
    if (said.size() != *files && *files > 0) {
        throw usage_error{"LISTEN_FDNAMES has " + std::to_string(said.size()) + " names for " +
                          std::to_string(*files) + " sockets"};
    }
    std::vector<given_socket> all;
    for (unsigned i = 0; i < *files; ++i) {
        all.push_back({.name = is_no_name(said[i]) ? std::string{} : said[i],
                       .address = "fd:" + std::to_string(first + i)});
    }
    return all;
}

void take_given_sockets(service_options& how, bool listens) {
    const auto all =
        given_sockets(::getpid(), variable("LISTEN_PID"), variable("LISTEN_FDS"), variable("LISTEN_FDNAMES"));
    std::vector<std::string> rest;
    for (const auto& one : all) {
        if (one.name.empty() || one.name == "http") {
            rest.push_back(one.address);
        } else if (one.name == "admin") {
            how.admin_listen.push_back(one.address);
        } else if (one.name == "lmstfy") {
            how.lmstfy.listen.push_back(one.address);
        } else if (one.name == "lmstfy-admin") {
            how.lmstfy.admin_listen.push_back(one.address);
        } else {
            throw usage_error{
                "a socket of the name \"" + one.name +
                "\" is handed over, and nothing is offered by it: FileDescriptorName= is http, admin, lmstfy or "
                "lmstfy-admin"};
        }
    }
    if (!listens && !rest.empty()) how.listen.clear();
    how.listen.insert(how.listen.end(), rest.begin(), rest.end());
}

}  // namespace errand::cli
