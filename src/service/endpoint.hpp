// Where the service listens, read from text. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace errand::web {

struct endpoint {
    std::string path;     // of a unix socket; empty: TCP
    std::string address;  // "127.0.0.1", "::1"
    std::uint16_t port = 0;
    bool local = true;    // only this machine reaches it
    bool secure = false;  // TLS is spoken
    bool said_secure =
        false;  // by "https://", and not for the certificate alone: then a unix socket speaks it, too
    int inherited = -1;  // of a socket that listens already: its file. What it is, it says itself
};

// "127.0.0.1:7070", "[::1]:7070", ":7070" (all addresses), "localhost:7070", "unix:/run/errand.sock", "fd:3"; with "http://" or
// "https://" before an address that is what is spoken there. Throws usage_error.
// @param certified there is a certificate: then an address that says nothing else speaks TLS, but for unix sockets, and without it
// none can
endpoint read_endpoint(const std::string& text, bool certified = false);

// "http://127.0.0.1:7070", "https://0.0.0.0:7443", "unix:/run/errand.sock", "https://unix:/run/errand.sock"
std::string to_text(const endpoint& at);

}  // namespace errand::web
