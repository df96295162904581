#include "store/redis/sentinel_ear.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
constexpr std::string_view switch_channel = "+switch-master";

}  // namespace

bool is_switch_of(std::string_view master, std::string_view message) {
    return message.starts_with(master) && message.substr(master.size()).starts_with(' ');
}

sentinel_ear::sentinel_ear(asio::io_context& on, const address& to, std::function<void()> switched)
    : master_{to.master},
      switched_{std::move(switched)},
      place_{to.seeds},
      connection_{on.get_executor(), boost::redis::logger{boost::redis::logger::level::disabled}},
      pause_{on} {
    config_.connect_timeout = 2s;
    config_.health_check_interval = 1s;
    config_.reconnect_wait_interval = 0s;
    config_.use_setup = true;
    config_.setup.clear();
    config_.setup.hello();
    config_.setup.subscribe({switch_channel});
    connection_.set_receive_response(pushes_);
}

void sentinel_ear::start() {
    for (const auto part : {&sentinel_ear::run, &sentinel_ear::receive}) {
        asio::co_spawn(
            connection_.get_executor(),
            [](std::shared_ptr<sentinel_ear> self, awaitable<void> (sentinel_ear::*one)())
                -> awaitable<void> { co_await (self.get()->*one)(); }(shared_from_this(), part),
            asio::detached);
    }
}

void sentinel_ear::stop() {
    stopped_ = true;
    connection_.cancel();
    pause_.cancel();
}

awaitable<void> sentinel_ear::run() {
    while (!stopped_) {
        config_.addr = {place_.at().host, place_.at().port};
        co_await connection_.async_run(config_, no_throw);
        if (stopped_) break;
        place_.leave();
        pause_.expires_after(100ms);
        co_await pause_.async_wait(no_throw);
    }
}

awaitable<void> sentinel_ear::receive() {
    while (!stopped_) {
        const auto [failed] = co_await connection_.async_receive2(no_throw);
        if (stopped_) break;
        if (failed) continue;
        if (pushes_.has_value()) {
            const auto& nodes = pushes_.value();
            for (std::size_t at = 0; at + 3 < nodes.size() && !stopped_; at += 1 + nodes[at].aggregate_size) {
                if (nodes[at + 1].value == "message" && is_switch_of(master_, nodes[at + 3].value))
                    switched_();
            }
            pushes_.value().clear();
        } else {
            pushes_.emplace();
        }
    }
}

}  // namespace errand::redis
