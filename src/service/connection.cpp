// The one source that knows Beast's HTTP: it reads requests, and all else is text.
#include "service/connection.hpp"

#include <errand/config.hpp>

#include "core/attempt_rules.hpp"
#include "core/hex.hpp"
#include "core/random.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/process_meter.hpp"
#include "service/access_line.hpp"
#include "service/checks.hpp"
#include "service/client_stream.hpp"
#include "service/dispatch.hpp"
#include "service/exchange.hpp"
#include "service/gzip.hpp"
#include "service/request_rate.hpp"
#include "service/site.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <sys/socket.h>

namespace errand::web {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;

namespace {

using boost::system::error_code;
using request_parser = beast_http::request_parser<beast_http::string_body>;
using steady = std::chrono::steady_clock;

// A body that a call does not want is read and thrown away up to here: some clients send one with everything.
constexpr std::size_t most_thrown_away = std::size_t{1024} * 1024;
constexpr std::size_t most_of_small_body = std::size_t{64} * 1024;
constexpr std::size_t read_at_once = std::size_t{64} * 1024;
constexpr std::size_t most_read_ahead = std::size_t{16} * 1024;
// For the client's word that it has heard the end of TLS.
constexpr duration longest_goodbye = std::chrono::seconds{1};

std::string fresh_request_id() {
    std::string id;
    auto bits = random_bits();
    for (int i = 0; i < 8; ++i, bits >>= 8U) append_hex(id, static_cast<unsigned char>(bits & 0xFFU));
    return id;
}

// Ends an operation that lasts too long with operation_aborted, which is answered and not thrown.
auto within(duration length) { return asio::cancel_after(length, asio::as_tuple(asio::use_awaitable)); }

bool was_aborted(const error_code& ec) { return ec == asio::error::operation_aborted; }

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

// False: the connection is at its end.
awaitable<bool> one_connection::read_header(request_parser& parser) {
    const auto [ec, n] =
        co_await beast_http::async_read_header(stream_, buffer_, parser, within(hub_.options.header_timeout));
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
    const auto [ec, n] =
        co_await beast_http::async_read(stream_, buffer_, parser, within(hub_.options.body_timeout));
    if (!ec) co_return true;
    if ((has_gone(ec) && !was_aborted(ec)) || !socket_.is_open()) co_return false;
    co_await refuse(unreadable(ec), false, false);
    co_return false;
}

// ---- answers ----

// `clear`: nothing of the request is left unread.
awaitable<bool> one_connection::refuse(const refusal& why, bool keep, bool clear) {
    auto what = site_.refused(why, in_);
    const bool open = co_await respond(std::move(what), keep);
    if (!clear) co_await linger();
    co_return open;
}

awaitable<bool> one_connection::respond(answer what, bool keep) {
    site_.complete(what, in_);
    co_await compress(what, in_);
    keep = keep && !hub_.stopping;
    if (what.unsent && co_await has_hung_up()) {
        what.unsent();
        log(499, 0);
        co_return false;
    }
    const auto text = written(what, in_, keep);
    const auto [ec, n] =
        co_await asio::async_write(stream_, asio::buffer(text), within(hub_.options.write_timeout));
    if (ec && what.unsent) what.unsent();
    if (what.more && in_.method != "HEAD") {
        const auto sent = ec ? 0 : co_await send_more(what);
        log(what.status, what.body.size() + sent);
        co_return false;
    }
    log(what.status, what.body.size());
    co_return !ec && keep && !what.more;
}

// Until there is no more, nobody takes it, or the service stops; how many bytes.
awaitable<std::size_t> one_connection::send_more(const answer& what) {
    std::size_t sent = 0;
    try {
        while (!hub_.stopping) {
            const auto part = co_await what.more();
            if (part.empty()) break;
            const auto [ec, n] =
                co_await asio::async_write(stream_, asio::buffer(part), within(hub_.options.write_timeout));
            sent += n;
            if (ec) break;
        }
    } catch (const client_gone&) {
        // The usual end of what has none.
    } catch (const refusal&) {
        // As many wait as may: whoever asks again is told so.
    }
    co_return sent;
}

// As far as the other side has said so: what is written then would be taken by nobody.
awaitable<bool> one_connection::has_hung_up() {
    char next = 0;
    const auto n = ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) co_return true;
    const bool more = n > 0 ? stream_.secure() : stream_.holds_more();
    if (!more || buffer_.size() >= most_read_ahead) co_return false;
    // Of TLS it may be the word that there is no more. Else it is of the next request.
    constexpr duration at_hand = std::chrono::milliseconds{10};
    const auto [ec, read] =
        co_await stream_.async_read_some(buffer_.prepare(read_at_once / 16), within(at_hand));
    buffer_.commit(read);
    co_return ec && !was_aborted(ec);
}

// Until the client has read the answer: a socket that is closed with bytes unread takes back what was written to it.
awaitable<void> one_connection::linger() {
    constexpr duration longest = std::chrono::seconds{2};
    const auto end = steady::now() + longest;
    co_await stream_.say_end(end);
    error_code ec;
    socket_.shutdown(asio::socket_base::shutdown_send, ec);
    std::string thrown_away(read_at_once / 4, '\0');
    std::size_t seen = 0;
    while (!ec && seen < most_thrown_away && steady::now() < end) {
        const auto [failed, n] = co_await socket_.async_read_some(asio::buffer(thrown_away), within(longest));
        ec = failed;
        seen += n;
    }
}

void one_connection::log(int status, std::size_t bytes) {
    // By the route's name for the path: what was asked for could be anything.
    auto& core = detail::core_of(hub_.app);
    core.meter.answered(route_.of ? route_.of->path : "_other", route_.of ? route_.of->method : "_other",
                        status, steady::now() - began_);
    const auto& options = hub_.options;
    if (hub_.log == access_log::off) return;
    in_.path = site_.shown_path(in_.path);
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    const auto line = access_line(hub_.log, in_,
                                  {.at = now,
                                   .took = std::chrono::duration_cast<duration>(steady::now() - began_),
                                   .status = status,
                                   .bytes = bytes});
    if (!options.access_log_sink) {
        std::fprintf(stderr, "%s\n", line.c_str());
        return;
    }
    try {
        options.access_log_sink(line);
    } catch (...) {
        // A log that is full or closed is no reason to serve nobody.
        warn_of("its line of the access log was not taken", std::current_exception());
    }
}

void one_connection::warn_of(const char* where, const std::exception_ptr& why) {
    detail::core_of(hub_.app).log->warn("request {}: {}: {}", in_.id, where, describe(why).message);
}

// ---- waiting ----

std::shared_ptr<exchange> one_connection::work() {
    auto& core = detail::core_of(hub_.app);
    if (!hub_.work) hub_.work = std::make_shared<exchange>(core, caller_loop(hub_.loop, core));
    return hub_.work;
}

namespace {

refusal put_out() {
    refusal why{401, "unauthorized",
                "this token lets nobody in any more: it was revoked, or its time is over", "Authorization"};
    why.headers.push_back({"WWW-Authenticate", "Bearer"});
    return why;
}

}  // namespace

awaitable<void> one_connection::wait(awaitable<void> what) {
    if (hub_.stopping) co_return;
    if (!still_may()) throw put_out();
    if (hub_.waiting >= hub_.options.max_waiting) {
        refusal busy{429, "busy", "as many requests wait as may; ask again, or without wait_ms"};
        busy.ask_again_after(std::chrono::seconds{1});
        throw busy;
    }
    ++hub_.waiting;
    waits_ = true;
    put_out_ = false;
    hub_.somebody_waits();
    watch();
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::co_spawn(executor, std::move(what),
                            asio::bind_cancellation_slot(stop_waiting_.slot(),
                                                         asio::as_tuple(asio::use_awaitable)));
    waits_ = false;
    --hub_.waiting;
    // What it has read belongs to the next request. By TLS one read is several of the socket's: a cancellation that comes
    // between two of them ends none.
    while (watching_) {
        error_code ignored;
        socket_.cancel(ignored);
        co_await asio::post(executor, asio::use_awaitable);
    }
    if (gone_) throw client_gone{};
    if (put_out_) throw put_out();
}

// Reads ahead, as that alone tells when the client hangs up; what comes is of the next request.
void one_connection::watch() {
    if (buffer_.size() >= most_read_ahead) return;
    watching_ = true;
    stream_.async_read_some(buffer_.prepare(read_at_once / 16), [this](error_code ec, std::size_t n) {
        buffer_.commit(n);
        watching_ = false;
        // Once the wait is over, the next read tells the same.
        if (!waits_ || was_aborted(ec)) return;
        if (!ec) return watch();
        gone_ = true;
        stop_waiting_.emit(asio::cancellation_type::terminal);
    });
}

}  // namespace

std::unique_ptr<connection> make_connection(hub& of, site& asked, stream_socket socket,
                                            asio::ssl::context* by) {
    return std::make_unique<one_connection>(of, asked, std::move(socket), by);
}

}  // namespace errand::web
