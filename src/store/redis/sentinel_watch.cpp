#include "store/redis/sentinel_watch.hpp"

#include <errand/error.hpp>

#include "store/redis/connection_config.hpp"
#include "store/redis/tallies.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <chrono>
#include <utility>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
constexpr std::string_view switch_channel = "+switch-master";
// Before one that could not be reached, or is gone, is tried again; meanwhile the others are heard.
constexpr auto sentinel_pause = 500ms;

}  // namespace

bool is_switch_of(std::string_view master, std::string_view message) {
    return message.starts_with(master) && message.substr(master.size()).starts_with(' ');
}

std::optional<named_master> master_in(const reply& answer) {
    if (answer.is_error()) return std::nullopt;
    named_master found;
    try {
        for (const auto& [field, value] : read_pairs(answer)) {
            if (field == "ip") found.server.host = value;
            if (field == "port") found.server.port = value;
            if (field == "config-epoch")
                std::from_chars(value.data(), value.data() + value.size(), found.epoch);
        }
    } catch (const store_error&) {
        return std::nullopt;
    }
    if (found.server.host.empty() || found.server.port.empty()) return std::nullopt;
    return found;
}

sentinel_watch::sentinel_watch(asio::io_context& on, const address& to, const endpoint& sentinel,
                               std::function<void(const named_master&)> told)
    : master_{to.master},
      told_{std::move(told)},
      connection_{on.get_executor(), boost::redis::logger{boost::redis::logger::level::disabled}},
      pause_{on} {
    config_.addr = {sentinel.host, sentinel.port};
    config_.connect_timeout = 2s;
    config_.health_check_interval = 1s;
    config_.reconnect_wait_interval = 0s;
    config_.use_setup = true;
    config_.setup.clear();
    say_hello(config_.setup, to.sentinel_user, to.sentinel_password);
    config_.setup.subscribe({switch_channel});
    connection_.set_receive_response(pushes_);
}

void sentinel_watch::start() {
    for (const auto part : {&sentinel_watch::run, &sentinel_watch::receive}) {
        asio::co_spawn(
            connection_.get_executor(),
            [](std::shared_ptr<sentinel_watch> self, awaitable<void> (sentinel_watch::*one)())
                -> awaitable<void> { co_await (self.get()->*one)(); }(shared_from_this(), part),
            asio::detached);
    }
}

void sentinel_watch::stop() {
    stopped_ = true;
    connection_.cancel();
    pause_.cancel();
}

awaitable<void> sentinel_watch::run() {
    while (!stopped_) {
        co_await connection_.async_run(config_, no_throw);
        if (stopped_) break;
        pause_.expires_after(sentinel_pause);
        co_await pause_.async_wait(no_throw);
    }
}

awaitable<void> sentinel_watch::receive() {
    while (!stopped_) {
        const auto [failed] = co_await connection_.async_receive2(no_throw);
        if (stopped_) break;
        if (failed) continue;
        if (pushes_.has_value()) {
            const auto& nodes = pushes_.value();
            for (std::size_t at = 0; at + 3 < nodes.size() && !stopped_; at += 1 + nodes[at].aggregate_size)
                hear(nodes[at + 1].value, nodes[at + 3].value);
            pushes_.value().clear();
        } else {
            pushes_.emplace();
        }
    }
}

void sentinel_watch::hear(std::string_view kind, std::string_view payload) {
    if (kind != "subscribe" && !(kind == "message" && is_switch_of(master_, payload))) return;
    once_more_ = true;
    if (std::exchange(asking_, true)) return;
    asio::co_spawn(
        connection_.get_executor(),
        [](std::shared_ptr<sentinel_watch> self) -> awaitable<void> {
            co_await self->ask();
        }(shared_from_this()),
        asio::detached);
}

// A question that is lost with its connection is asked again when there is a new one: its subscription is heard, too.
awaitable<void> sentinel_watch::ask() {
    while (std::exchange(once_more_, false) && !stopped_) {
        boost::redis::request::config how;
        how.cancel_on_connection_lost = true;
        boost::redis::request question{how};
        question.push("SENTINEL", "MASTER", master_);
        reply answer;
        const auto [failed, bytes] = co_await connection_.async_exec(question, answer.recorder(), no_throw);
        if (stopped_) break;
        if (failed) continue;
        if (const auto found = master_in(answer)) told_(*found);
    }
    asking_ = false;
}

}  // namespace errand::redis
