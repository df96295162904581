// The bytes of one client, plain or by TLS: what reads and writes them need not know which.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "service/listener.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace boost::asio::ssl {
class context;
}

namespace errand::web {

// An AsyncReadStream and AsyncWriteStream. What is plain goes to the socket as it is; TLS is behind a source of its own, as it is long
// to compile. It stays where it is while something is under way.
class client_stream {
public:
    using executor_type = stream_socket::executor_type;
    using signature = void(boost::system::error_code, std::size_t);

    // @param by null: plain. It is needed for the construction alone.
    client_stream(stream_socket socket, boost::asio::ssl::context* by);
    ~client_stream();
    client_stream(const client_stream&) = delete;
    client_stream& operator=(const client_stream&) = delete;

    executor_type get_executor() { return socket_.get_executor(); }
    // What TLS carries, too.
    stream_socket& socket() noexcept { return socket_; }
    bool secure() const noexcept { return tls_ != nullptr; }
    // Whether TLS has taken more from the socket than was read here, the client's end for one: the next read does not wait for the
    // socket.
    bool holds_more() const noexcept;

    // Of TLS, before anything else: until both sides have agreed, or the time has come.
    awaitable<boost::system::error_code> shake_hands(std::chrono::steady_clock::time_point until);
    // Of TLS, when nothing is to be written any more: says so, and waits until the client does, or the time has come. Once.
    awaitable<void> say_end(std::chrono::steady_clock::time_point until);

    // Parts of what there is room for and of what there is, as sockets do it.
    template <typename Buffers, typename Token>
    auto async_read_some(const Buffers& into, Token&& token) {
        return boost::asio::async_initiate<Token, signature>(start{this}, token,
                                                             first_of<boost::asio::mutable_buffer>(into));
    }
    template <typename Buffers, typename Token>
    auto async_write_some(const Buffers& from, Token&& token) {
        return boost::asio::async_initiate<Token, signature>(start{this}, token,
                                                             first_of<boost::asio::const_buffer>(from));
    }

private:
    struct tls_layer;
    using ended = boost::asio::any_completion_handler<signature>;

    struct start {
        using executor_type = stream_socket::executor_type;
        executor_type get_executor() const { return of->get_executor(); }
        template <typename Handler>
        void operator()(Handler&& done, boost::asio::mutable_buffer room) const {
            if (of->tls_) return of->read_secure(room, std::forward<Handler>(done));
            of->socket_.async_read_some(room, std::forward<Handler>(done));
        }
        template <typename Handler>
        void operator()(Handler&& done, boost::asio::const_buffer what) const {
            if (of->tls_) return of->write_secure(what, std::forward<Handler>(done));
            of->socket_.async_write_some(what, std::forward<Handler>(done));
        }
        client_stream* of;
    };

    void read_secure(boost::asio::mutable_buffer room, ended done);
    void write_secure(boost::asio::const_buffer what, ended done);

    template <typename Buffer, typename Buffers>
    static Buffer first_of(const Buffers& all) {
        const auto end = boost::asio::buffer_sequence_end(all);
        for (auto one = boost::asio::buffer_sequence_begin(all); one != end; ++one) {
            const Buffer here{*one};
            if (here.size() > 0) return here;
        }
        return Buffer{};
    }

    stream_socket socket_;
    std::unique_ptr<tls_layer> tls_;
    bool agreed_ = false;  // and the end is not said
};

// What ends a TLS stream although no end was said: bytes that are none of it, or a connection that is cut.
bool is_tls_failure(const boost::system::error_code& ec) noexcept;

}  // namespace errand::web
