// Sockets that whoever starts the program has opened for it, as systemd does for a unit with a .socket. Pure, but for the process's
// id and variables.
#pragma once

#include <errand/service.hpp>

#include <optional>
#include <string>
#include <vector>

namespace errand::cli {

struct given_socket {
    std::string name;     // as FileDescriptorName= says it; empty: none
    std::string address;  // "fd:3", for service_options
};

// @param pid   for whom they are: LISTEN_PID
// @param count LISTEN_FDS
// @param names LISTEN_FDNAMES, with colons between
// Empty: there are none, or they are for another process than `own`. Throws usage_error for variables that do not fit each other.
std::vector<given_socket> given_sockets(long own, const std::optional<std::string>& pid,
                                        const std::optional<std::string>& count,
                                        const std::optional<std::string>& names);

// Adds those of this process to where the service listens, each to what its name says; the REST interface's stand in the place of
// addresses that nobody gave. Throws usage_error for a name of nothing that is offered.
// @param listens whether somebody gave an address
void take_given_sockets(service_options& how, bool listens);

}  // namespace errand::cli
