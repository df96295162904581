// A connection as its sources know it: connection.cpp reads requests, connection_answers.cpp answers them, and waits.
#pragma once

#include "service/client_stream.hpp"
#include "service/connection.hpp"
#include "service/dispatch.hpp"
#include "service/exchange.hpp"
#include "service/site.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace errand::web {

namespace asio = boost::asio;

using boost::system::error_code;
using steady = std::chrono::steady_clock;

// Of Beast, which connection.cpp alone knows.
struct request_parser;

// A body that a call does not want is read and thrown away up to here: some clients send one with everything.
inline constexpr std::size_t most_thrown_away = std::size_t{1024} * 1024;
inline constexpr std::size_t read_at_once = std::size_t{64} * 1024;
inline constexpr std::size_t most_read_ahead = std::size_t{16} * 1024;

// Ends an operation that lasts too long with operation_aborted, which is answered and not thrown.
inline auto within(duration length) {
    return asio::cancel_after(length, asio::as_tuple(asio::use_awaitable));
}

inline bool was_aborted(const error_code& ec) { return ec == asio::error::operation_aborted; }

class one_connection final : public connection, public desk {
public:
    one_connection(hub& of, site& asked, stream_socket socket, asio::ssl::context* by)
        : hub_{of},
          site_{asked},
          stream_{std::move(socket), by},
          socket_{stream_.socket()},
          buffer_{of.options.max_header + 2 * read_at_once},
          own_address_{own_address(socket_)},
          peer_{peer_address(socket_)} {
        if (peer_.empty()) peer_ = "unix";
        error_code ignored;
        if (!own_address_.empty()) socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
    }

    awaitable<void> run() override;
    void stop() override;
    void cut() override;
    void check_leave() override;

    errand::app& app() noexcept override { return hub_.app; }
    bool stopping() const noexcept override { return hub_.stopping; }
    awaitable<void> wait(awaitable<void> what) override;
    bool still_may() override { return site_.still_lets(in_, *route_.of); }
    std::shared_ptr<exchange> work() override;
    hub& shared() noexcept override { return hub_; }

private:
    awaitable<bool> shake_hands();
    awaitable<void> refuse_plain();
    awaitable<bool> await_request();
    awaitable<bool> serve_one();
    awaitable<bool> respond(answer what, bool keep);
    awaitable<std::size_t> send_more(const answer& what);
    awaitable<bool> refuse(const refusal& why, bool keep, bool clear);
    error_code read_at_hand(request_parser& parser);
    awaitable<bool> read_header(request_parser& parser);
    awaitable<std::optional<refusal>> count(std::optional<refusal> so_far);
    bool pass_over_body(const request_parser& parser);
    awaitable<bool> read_body(request_parser& parser);
    awaitable<bool> has_hung_up();
    awaitable<void> linger();
    void take_header(const request_parser& parser);
    awaitable<std::optional<refusal>> judge(const request_parser& parser, bool& framed);
    void check_length(const request_parser& parser) const;
    std::size_t body_limit() const;
    void watch();
    void log(int status, std::size_t bytes);
    void warn_of(const char* where, const std::exception_ptr& why);

    hub& hub_;
    site& site_;
    client_stream stream_;
    stream_socket& socket_;  // of the stream
    boost::beast::flat_buffer buffer_;
    const std::string own_address_;
    std::string peer_;

    request in_;  // the one that is served
    found_route route_;
    steady::time_point began_{};
    bool asked_ = false;     // before: it may be nobody who will
    bool idle_ = false;      // waits for a request, or to begin
    bool gone_ = false;      // the client has hung up
    bool waits_ = false;     // for a result
    bool put_out_ = false;   // while it waited: who asked may not do so any more
    bool watching_ = false;  // a read is under way that tells when the client hangs up
    asio::cancellation_signal stop_waiting_;
};

}  // namespace errand::web
