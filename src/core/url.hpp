// The pieces of which URLs of stores and databases are made.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace errand::url {

// With its %-codes as what they stand for; a % that begins none stays.
std::string decoded(std::string_view text);

// Splits at the first `mark`; what is after it is empty when there is none.
std::string_view cut(std::string_view& from, char mark);

// From 0 to `most`.
std::optional<int> number(std::string_view text, int most);

// "host:port", also "[v6]:port".
struct host_port {
    std::string_view host;
    std::string_view port;  // with its colon, or whatever stands there; empty: none is named
    bool closed = true;     // false: the bracket of an IPv6 address is missing
};
host_port host_port_of(std::string_view text);

// "user:password@" at the beginning of `rest`, taken away from there. An @ after the first slash belongs to what follows.
struct login {
    std::string user;
    std::string password;
};
std::optional<login> take_login(std::string_view& rest);

}  // namespace errand::url
