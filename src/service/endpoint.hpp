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
    bool local = true;  // only this machine reaches it
};

// "127.0.0.1:7070", "[::1]:7070", ":7070" (all addresses), "localhost:7070", "unix:/run/errand.sock". Throws usage_error.
endpoint read_endpoint(const std::string& text);

// "http://127.0.0.1:7070", "unix:/run/errand.sock"
std::string to_text(const endpoint& at);

}  // namespace errand::web
