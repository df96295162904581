// What a connection sends, what it says of that in the access log, and how it waits for a result.
#include <errand/config.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/process_meter.hpp"
#include "service/access_line.hpp"
#include "service/gzip.hpp"
#include "service/one_connection.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include <spdlog/logger.h>

#include <cerrno>
#include <cstdio>
#include <sys/socket.h>

namespace errand::web {

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

}  // namespace errand::web
