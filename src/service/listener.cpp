#include "service/listener.hpp"

#include <errand/error.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace errand::web {

namespace asio = boost::asio;

namespace {

using any_endpoint = asio::generic::stream_protocol::endpoint;

any_endpoint system_endpoint(const endpoint& at) {
    if (!at.path.empty()) return asio::local::stream_protocol::endpoint{at.path};
    return asio::ip::tcp::endpoint{asio::ip::make_address(at.address), at.port};
}

// Nullopt: it is none of TCP.
std::optional<asio::ip::tcp::endpoint> tcp_endpoint(const any_endpoint& from) {
    const auto family = from.protocol().family();
    asio::ip::tcp::endpoint at;
    if ((family != AF_INET && family != AF_INET6) || from.size() > at.capacity()) return std::nullopt;
    std::memcpy(at.data(), from.data(), from.size());
    at.resize(from.size());
    return at;
}

int family_of(const endpoint& at) { return at.address.find(':') == std::string::npos ? AF_INET : AF_INET6; }

// Of a unix socket; "unnamed" of one that has no path.
std::string path_of(const any_endpoint& at) {
    const auto* name = reinterpret_cast<const sockaddr_un*>(at.data());
    const auto begin = offsetof(sockaddr_un, sun_path);
    if (at.size() <= begin || name->sun_path[0] == '\0') return "unnamed";
    return {name->sun_path, ::strnlen(name->sun_path, at.size() - begin)};
}

std::string address_text(const any_endpoint& from) {
    const auto at = tcp_endpoint(from);
    if (!at) return {};
    const auto address = at->address();
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    return address.to_string();
}

bool is_socket(const std::string& path) {
    struct stat seen{};
    return ::lstat(path.c_str(), &seen) == 0 && S_ISSOCK(seen.st_mode);
}

// What a service that was killed has left there.
void remove_deserted(asio::any_io_executor executor, const std::string& path) {
    if (!is_socket(path)) return;
    asio::local::stream_protocol::socket probe{std::move(executor)};
    boost::system::error_code ec;
    probe.connect(asio::local::stream_protocol::endpoint{path}, ec);
    if (ec == asio::error::connection_refused) ::unlink(path.c_str());
}

}  // namespace

listener::listener(const asio::any_io_executor& executor, endpoint at)
    : at_{std::move(at)}, acceptor_{executor} {
    try {
        open();
    } catch (const boost::system::system_error& why) {
        throw usage_error{"cannot listen on " + to_text(at_) + ": " + why.code().message()};
    }
}

listener::~listener() { close(); }

void listener::open() {
    if (at_.inherited >= 0) {
        ::fcntl(at_.inherited, F_SETFD, FD_CLOEXEC);
        acceptor_.assign({at_.path.empty() ? family_of(at_) : AF_UNIX, 0}, at_.inherited);
        return;
    }
    const bool local = !at_.path.empty();
    if (local) remove_deserted(acceptor_.get_executor(), at_.path);
    const auto where = system_endpoint(at_);
    acceptor_.open(where.protocol());
    if (!local) acceptor_.set_option(asio::socket_base::reuse_address{true});
    acceptor_.bind(where);
    // Before it listens, so that nobody else gets in meanwhile.
    if (local && ::chmod(at_.path.c_str(), 0660) != 0)
        throw boost::system::system_error{errno, boost::system::system_category()};
    acceptor_.listen();
    if (const auto own = tcp_endpoint(acceptor_.local_endpoint())) at_.port = own->port();
}

void listener::close() noexcept {
    if (!acceptor_.is_open()) return;
    // While it listens the name is its own: afterwards it may be that of the next one.
    if (!at_.path.empty() && at_.inherited < 0) ::unlink(at_.path.c_str());
    boost::system::error_code ignored;
    acceptor_.close(ignored);
}

endpoint known_endpoint(endpoint read) {
    if (read.inherited < 0) return read;
    int listens = 0;
    int kind = 0;
    socklen_t size = sizeof listens;
    socklen_t kind_size = sizeof kind;
    any_endpoint at;
    socklen_t length = static_cast<socklen_t>(at.capacity());
    if (::getsockopt(read.inherited, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
        ::getsockopt(read.inherited, SOL_SOCKET, SO_TYPE, &kind, &kind_size) != 0 || kind != SOCK_STREAM ||
        ::getsockname(read.inherited, at.data(), &length) != 0) {
        throw usage_error{
            "listen: file " + std::to_string(read.inherited) +
            " is no socket that listens: systemd hands over those of a .socket unit with Accept=no"};
    }
    at.resize(length);
    if (const auto tcp = tcp_endpoint(at)) {
        read.address = tcp->address().to_string();
        read.port = tcp->port();
        read.local = tcp->address().is_loopback();
    } else if (at.data()->sa_family != AF_UNIX) {
        // One between virtual machines, say: whoever is there is nobody of this machine.
        throw usage_error{"listen: file " + std::to_string(read.inherited) +
                          " is a socket of neither TCP nor this machine's files"};
    } else {
        read.path = path_of(at);
        read.local = true;
        read.secure = read.said_secure;
    }
    return read;
}

std::string peer_address(const stream_socket& of) {
    boost::system::error_code ec;
    const auto at = of.remote_endpoint(ec);
    return ec ? std::string{} : address_text(at);
}

std::string own_address(const stream_socket& of) {
    boost::system::error_code ec;
    const auto at = of.local_endpoint(ec);
    return ec ? std::string{} : address_text(at);
}

}  // namespace errand::web
