#include "service/listener.hpp"

#include <errand/error.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/stat.h>
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
    if (!at_.path.empty()) ::unlink(at_.path.c_str());
    boost::system::error_code ignored;
    acceptor_.close(ignored);
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
