// The one source that knows Beast's HTTP: it reads requests, and all else is text.
#include <errand/config.hpp>

#include "core/hex.hpp"
#include "core/random.hpp"
#include "service/checks.hpp"
#include "service/one_connection.hpp"
#include "service/request_rate.hpp"

#include <boost/asio/cancel_at.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <sys/socket.h>

namespace errand::web {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;

namespace {

constexpr std::size_t most_of_small_body = std::size_t{64} * 1024;
// For the client's word that it has heard the end of TLS.
constexpr duration longest_goodbye = std::chrono::seconds{1};

std::string fresh_request_id() {
    std::string id;
    auto bits = random_bits();
    for (int i = 0; i < 8; ++i, bits >>= 8U) append_hex(id, static_cast<unsigned char>(bits & 0xFFU));
    return id;
}

// The client has gone in the middle, or before it asked for anything.
bool has_gone(const error_code& ec) {
    return ec == beast_http::error::end_of_stream || ec == beast_http::error::partial_message ||
           ec.category() == asio::error::get_system_category() || ec == asio::error::eof ||
           is_tls_failure(ec);
}

refusal unreadable(const error_code& ec) {
    if (ec == beast_http::error::header_limit || ec == beast_http::error::buffer_overflow) {
        return {431, "header_too_large", "the first line and the headers are longer than this service takes"};
    }
    if (ec == beast_http::error::body_limit)
        return {413, "too_large", "the body is larger than this call takes"};
    if (ec == beast_http::error::bad_version) return {505, "bad_version", "this service speaks HTTP/1.1"};
    if (was_aborted(ec)) return {408, "too_slow", "the request did not arrive in time"};
    return bad_request("this is no request of HTTP/1.1: " + ec.message());
}

}  // namespace

struct request_parser : beast_http::request_parser<beast_http::string_body> {};

// ---- its life ----

awaitable<void> one_connection::run() {
    // How a request ends is said in place; what is cancelled is seen to by stop() and cut().
    try {
        const bool begun = !stream_.secure() || co_await shake_hands();
        while (begun && !hub_.stopping && co_await await_request() && co_await serve_one()) {
        }
        co_await stream_.say_end(steady::now() + longest_goodbye);
    } catch (...) {
        // Of a connection that is cut there is nothing to say.
        if (socket_.is_open()) warn_of("its connection is closed", std::current_exception());
    }
    error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_both, ignored);
    socket_.close(ignored);
}

void one_connection::stop() {
    if (idle_) {
        cut();
    } else {
        stop_waiting_.emit(asio::cancellation_type::terminal);
    }
}

void one_connection::check_leave() {
    if (!waits_ || still_may()) return;
    put_out_ = true;
    stop_waiting_.emit(asio::cancellation_type::terminal);
}

void one_connection::cut() {
    error_code ignored;
    socket_.close(ignored);
    stop_waiting_.emit(asio::cancellation_type::terminal);
}

// False: with this client there is nothing to agree on.
awaitable<bool> one_connection::shake_hands() {
    idle_ = true;
    const auto until = steady::now() + hub_.options.header_timeout;
    const auto [ec] =
        co_await socket_.async_wait(asio::socket_base::wait_read,
                                    asio::cancel_at(until, asio::as_tuple(asio::use_awaitable)));
    if (ec) co_return false;
    char first = 0;
    const auto n = ::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 1 && first >= 'A' && first <= 'Z') {
        co_await refuse_plain();
        co_return false;
    }
    const auto failed = co_await stream_.shake_hands(until);
    idle_ = false;
    co_return !failed;
}

// Of who speaks HTTP where TLS is spoken nothing is read.
awaitable<void> one_connection::refuse_plain() {
    began_ = steady::now();
    in_.id = fresh_request_id();
    in_.peer = peer_;
    const auto what = site_.refused(bad_request("this address speaks TLS: ask it by https"), in_);
    const auto text = written(what, in_, false);
    co_await asio::async_write(socket_, asio::buffer(text), within(hub_.options.write_timeout));
    log(what.status, what.body.size());
    co_await linger();
}

// False: there is none, and none will come.
awaitable<bool> one_connection::await_request() {
    if (buffer_.size() > 0) co_return true;
    idle_ = true;
    const auto& options = hub_.options;
    const auto longest =
        asked_ ? options.idle_timeout : std::min(options.idle_timeout, options.header_timeout);
    const auto [ec, n] =
        co_await stream_.async_read_some(buffer_.prepare(read_at_once / 16), within(longest));
    idle_ = false;
    buffer_.commit(n);
    co_return !ec;
}

// ---- one request ----

// Whether another one may follow.
awaitable<bool> one_connection::serve_one() {
    began_ = steady::now();
    asked_ = true;
    in_ = {};
    route_ = {};
    in_.id = fresh_request_id();
    in_.peer = peer_;
    in_.secure = stream_.secure();
    request_parser parser;
    parser.header_limit(static_cast<std::uint32_t>(hub_.options.max_header));
    // How much it may be is known when its headers are.
    parser.body_limit(boost::none);
    if (!co_await read_header(parser)) co_return false;
    const bool keep = parser.keep_alive();
    bool framed = true;
    if (const auto why = co_await judge(parser, framed)) {
        const bool clear = framed && pass_over_body(parser);
        co_return co_await refuse(*why, keep && clear, clear);
    }
    if (!co_await read_body(parser)) co_return false;
    if (route_.of->drops_body) {
        parser.get().body() = std::string{};
    } else {
        in_.body = std::move(parser.get().body());
    }
    std::optional<answer> made;
    try {
        made = co_await run_route(in_, std::move(route_), *this, site_);
    } catch (const client_gone&) {
        log(499, 0);
    }
    if (!made) co_return false;
    co_return co_await respond(std::move(*made), keep);
}

// As far as it goes without waiting, which most requests are.
error_code one_connection::read_at_hand(request_parser& parser) {
    if (buffer_.size() == 0) return {};
    error_code ec;
    buffer_.consume(parser.put(buffer_.data(), ec));
    if (ec == beast_http::error::need_more) ec.clear();
    return ec;
}

// False: the connection is at its end.
awaitable<bool> one_connection::read_header(request_parser& parser) {
    auto ec = read_at_hand(parser);
    if (!ec && !parser.is_header_done()) {
        const auto [failed, n] = co_await beast_http::async_read_header(stream_, buffer_, parser,
                                                                        within(hub_.options.header_timeout));
        ec = failed;
    }
    if (!ec) {
        take_header(parser);
        co_return true;
    }
    if ((has_gone(ec) && !was_aborted(ec)) || !socket_.is_open()) co_return false;
    // A length over the limit is seen when the headers are complete.
    if (ec == beast_http::error::body_limit) take_header(parser);
    co_await refuse(unreadable(ec), false, false);
    co_return false;
}

void one_connection::take_header(const request_parser& parser) {
    const auto& head = parser.get();
    in_.method = std::string_view{head.method_string()};
    const std::string_view target = head.target();
    const auto mark = target.find('?');
    in_.path = target.substr(0, mark);
    if (mark != target.npos) in_.query = target.substr(mark + 1);
    for (const auto& one : head) {
        in_.headers.push_back({.name = std::string{std::string_view{one.name_string()}},
                               .value = std::string{std::string_view{one.value()}}});
    }
}

// Why it is refused by its headers alone. `framed`: where it ends is beyond doubt.
awaitable<std::optional<refusal>> one_connection::judge(const request_parser& parser, bool& framed) {
    std::exception_ptr failed;
    try {
        framed = false;
        check_framing(in_, parser.get().version());
        framed = true;
        co_await site_.ready(in_, own_address_);
        route_ = site_.judge(in_, own_address_);
        check_length(parser);
    } catch (...) {
        failed = std::current_exception();
    }
    auto why = failed ? std::optional{refusal_of(failed, false)} : std::nullopt;
    co_return co_await count(std::move(why));
}

// With a rate each request counts that comes with the token, whatever becomes of it, and before its body is read. `so_far`: why it
// is refused anyway.
awaitable<std::optional<refusal>> one_connection::count(std::optional<refusal> so_far) {
    std::exception_ptr failed;
    try {
        if (in_.counted) co_await admit_request(hub_, *in_.counted);
        co_return so_far;
    } catch (...) {
        failed = std::current_exception();
    }
    co_return refusal_of(failed, false);
}

// False: more of it is to come than is here already, so that nobody knows where the next request begins.
bool one_connection::pass_over_body(const request_parser& parser) {
    if (parser.is_done()) return true;
    // Who waits to be told to go on may leave it out.
    if (in_.find_header("Expect")) return false;
    const auto left = parser.content_length_remaining();
    if (!left || *left > buffer_.size()) return false;
    buffer_.consume(static_cast<std::size_t>(*left));
    return true;
}

void one_connection::check_length(const request_parser& parser) const {
    const auto limit = body_limit();
    if (const auto length = parser.content_length(); length && *length > limit) {
        throw refusal{413, "too_large",
                      "the body has " + std::to_string(*length) + " bytes, and this call takes " +
                          std::to_string(limit)};
    }
    const auto* expected = in_.find_header("Expect");
    if (expected && !same_header_name(*expected, "100-continue"))
        throw bad_request("of expectations only \"100-continue\" is met", "Expect");
}

std::size_t one_connection::body_limit() const {
    const auto most = hub_.options.max_body;
    if (route_.of->most_body > 0) return route_.of->most_body;
    if (route_.of->large) return most;
    return std::min(most, route_.of->body.empty() ? most_thrown_away : most_of_small_body);
}

awaitable<bool> one_connection::read_body(request_parser& parser) {
    if (parser.is_done()) co_return true;
    parser.body_limit(body_limit());
    if (in_.find_header("Expect")) {
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        const auto [ec, n] =
            co_await asio::async_write(stream_, asio::buffer(go_on), within(hub_.options.write_timeout));
        if (ec) co_return false;
    }
    parser.eager(true);
    auto ec = read_at_hand(parser);
    if (!ec && !parser.is_done()) {
        const auto [failed, n] =
            co_await beast_http::async_read(stream_, buffer_, parser, within(hub_.options.body_timeout));
        ec = failed;
    }
    if (!ec) co_return true;
    if ((has_gone(ec) && !was_aborted(ec)) || !socket_.is_open()) co_return false;
    co_await refuse(unreadable(ec), false, false);
    co_return false;
}

std::unique_ptr<connection> make_connection(hub& of, site& asked, stream_socket socket,
                                            asio::ssl::context* by) {
    return std::make_unique<one_connection>(of, asked, std::move(socket), by);
}

}  // namespace errand::web
