#include "store/redis/connection.hpp"

#include <errand/error.hpp>

#include "store/redis/script_set.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

asio::ssl::context tls_of(const address& to) {
    asio::ssl::context tls{asio::ssl::context::tls_client};
    if (!to.tls) return tls;
    boost::system::error_code failed;
    if (to.ca_file.empty()) {
        tls.set_default_verify_paths(failed);
    } else {
        tls.load_verify_file(to.ca_file, failed);
        if (failed) {
            throw usage_error{"the store's URL names a file of authorities (ca) that cannot be read: " +
                              to.ca_file};
        }
    }
    tls.set_verify_mode(to.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
    if (to.verify) tls.set_verify_callback(asio::ssl::host_name_verification{to.host});
    return tls;
}

boost::redis::config config_of(const address& to, std::string_view channel, std::string_view of_all) {
    boost::redis::config config;
    config.use_ssl = to.tls;
    config.addr = {to.host, to.port};
    config.unix_socket = to.unix_path;
    config.reconnect_wait_interval = 80ms;
    // A PING goes out only when nothing else does; a connection silent for twice this long is given up.
    config.health_check_interval = 5s;
    // Larger reads make pipelined calls answer in lock step, which halves the rate (measured).
    config.read_buffer_append_size = 4096;
    config.use_setup = true;
    config.setup.clear();
    if (!to.password.empty()) {
        config.setup.hello(to.user.empty() ? "default" : to.user, to.password);
    } else {
        config.setup.hello();
    }
    if (to.database != 0) config.setup.push("SELECT", to.database);
    for (const auto& script : all_scripts()) config.setup.push("SCRIPT", "LOAD", script.text);
    // A SUBSCRIBE that is refused answers where no answer is due, and all later answers would go to the wrong calls:
    // whether the user may is asked first, with a message that nobody hears.
    config.setup.push("PUBLISH", channel, "");
    // Last, so that its confirmation says that all before it succeeded.
    config.setup.subscribe({of_all, channel});
    return config;
}

}  // namespace

connection::connection(asio::io_context& on, const address& to, std::string channel, std::string of_all,
                       connection_listener& tell)
    : config_{config_of(to, channel, of_all)},
      channel_{std::move(channel)},
      of_all_{std::move(of_all)},
      tell_{&tell},
      connection_{on.get_executor(), tls_of(to),
                  boost::redis::logger{
                      boost::redis::logger::level::err,
                      [this](boost::redis::logger::level, std::string_view line) { heard_log(line); }}} {
    connection_.set_receive_response(pushes_);
}

void connection::start() {
    const auto on = connection_.get_executor();
    asio::co_spawn(
        on,
        [](std::shared_ptr<connection> self) -> awaitable<void> { co_await self->run(); }(shared_from_this()),
        asio::detached);
    asio::co_spawn(
        on,
        [](std::shared_ptr<connection> self) -> awaitable<void> {
            co_await self->receive();
        }(shared_from_this()),
        asio::detached);
}

void connection::stop() {
    if (is_stopped()) return;
    tell_ = nullptr;
    up_ = false;
    connection_.cancel();
}

awaitable<void> connection::run() {
    // Ends only when cancelled, or at once when the configuration is wrong: reconnecting is the library's.
    const auto [ended] = co_await connection_.async_run(config_, token);
    if (tell_) tell_->down(ended.message());
}

awaitable<void> connection::receive() {
    while (!is_stopped()) {
        const auto [failed] = co_await connection_.async_receive2(token);
        if (is_stopped()) break;
        // A lost connection ends the wait with an error; the next wait is for the next connection's pushes.
        if (!failed) heard_pushes();
    }
}

void connection::heard_pushes() {
    if (pushes_.has_value()) {
        const auto& nodes = pushes_.value();
        for (std::size_t at = 0; at + 3 < nodes.size() && tell_; at += 1 + nodes[at].aggregate_size) {
            const bool mine = nodes[at + 2].value == channel_;
            if (!mine && nodes[at + 2].value != of_all_) continue;
            if (mine && nodes[at + 1].value == "subscribe") {
                up_ = true;
                tell_->up();
            } else if (nodes[at + 1].value == "message") {
                tell_->message(nodes[at + 3].value);
            }
        }
        pushes_.value().clear();
    } else {
        pushes_.emplace();
    }
}

void connection::heard_log(std::string_view line) {
    if (is_stopped()) return;
    up_ = false;
    tell_->down(line);
}

awaitable<connection::attempt> connection::exec(const boost::redis::request& what, reply& answer,
                                                duration limit) {
    answer.clear();
    const auto [failed, bytes] =
        co_await connection_.async_exec(what, answer.recorder(), asio::cancel_after(limit, token));
    co_return failed ? attempt::aborted : attempt::answered;
}

}  // namespace errand::redis
