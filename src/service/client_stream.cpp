#include "service/client_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/bio.h>
#include <openssl/ssl.h>

namespace errand::web {

namespace asio = boost::asio;

namespace {

auto before(std::chrono::steady_clock::time_point until) {
    return asio::cancel_at(until, asio::as_tuple(asio::use_awaitable));
}

}  // namespace

struct client_stream::tls_layer {
    asio::ssl::stream<stream_socket&> over;
};

client_stream::client_stream(stream_socket socket, asio::ssl::context* by) : socket_{std::move(socket)} {
    if (by) tls_ = std::make_unique<tls_layer>(asio::ssl::stream<stream_socket&>{socket_, *by});
}

client_stream::~client_stream() = default;

awaitable<boost::system::error_code> client_stream::shake_hands(std::chrono::steady_clock::time_point until) {
    const auto [ec] = co_await tls_->over.async_handshake(asio::ssl::stream_base::server, before(until));
    agreed_ = !ec;
    co_return ec;
}

awaitable<void> client_stream::say_end(std::chrono::steady_clock::time_point until) {
    if (!agreed_ || !socket_.is_open()) co_return;
    agreed_ = false;
    co_await tls_->over.async_shutdown(before(until));
}

bool client_stream::holds_more() const noexcept {
    if (!tls_) return false;
    auto* const engine = tls_->over.native_handle();
    return ::SSL_has_pending(engine) == 1 || ::BIO_ctrl_pending(::SSL_get_rbio(engine)) > 0 ||
           (::SSL_get_shutdown(engine) & SSL_RECEIVED_SHUTDOWN) != 0;
}

void client_stream::read_secure(asio::mutable_buffer room, ended done) {
    tls_->over.async_read_some(room, std::move(done));
}

void client_stream::write_secure(asio::const_buffer what, ended done) {
    tls_->over.async_write_some(what, std::move(done));
}

bool is_tls_failure(const boost::system::error_code& ec) noexcept {
    return ec.category() == asio::error::get_ssl_category() ||
           ec.category() == asio::ssl::error::get_stream_category();
}

}  // namespace errand::web
