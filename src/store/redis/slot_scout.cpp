#include "store/redis/slot_scout.hpp"

#include "core/random.hpp"
#include "store/redis/connection_config.hpp"
#include "store/redis/place.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto as_pair = asio::as_tuple(asio::use_awaitable);
// Within which one answers, or the next one is asked.
constexpr auto scout_patience = 1s;
// Between two questions to one server: it may hear of a new owner at any time. After some the next one is asked, since it may be
// cut off.
constexpr duration first_scout_pause{100}, longest_scout_pause{800};
constexpr int questions_to_one = 6;

}  // namespace

std::optional<endpoint> owner_in(const reply& answer, const endpoint& asked) {
    if (!answer.is_error()) return asked;
    auto to = moved_to(answer.first());
    if (to && to->host.empty()) to->host = asked.host;
    return to;
}

slot_scout::slot_scout(asio::io_context& on, const address& to, std::string_view key,
                       std::function<void(const endpoint&)> found)
    : config_{plain_config(to)},
      found_{std::move(found)},
      connection_{on.get_executor(), tls_of(to, [this] { return config_.addr.host; }),
                  boost::redis::logger{boost::redis::logger::level::disabled}},
      pause_{on} {
    boost::redis::request::config how;
    how.cancel_on_connection_lost = true;
    question_ = boost::redis::request{how};
    question_.push("HGET", key, "format");
}

void slot_scout::begin(std::vector<endpoint> all) {
    if (stopped_ || wanted_ || all.empty()) return;
    wanted_ = true;
    all_ = std::move(all);
    if (std::exchange(running_, true)) return;
    asio::co_spawn(
        connection_.get_executor(),
        [](std::shared_ptr<slot_scout> self) -> awaitable<void> { co_await self->run(); }(shared_from_this()),
        asio::detached);
}

void slot_scout::end() {
    wanted_ = false;
    connection_.cancel();
    pause_.cancel();
}

void slot_scout::stop() {
    stopped_ = true;
    end();
}

awaitable<void> slot_scout::run() {
    using namespace asio::experimental::awaitable_operators;
    auto between = first_scout_pause;
    for (std::size_t at = 0; wanted_; ++at) {
        const auto one = all_[at % all_.size()];
        config_.addr = {one.host, one.port};
        // Whichever ends first ends the other.
        answered_ = false;
        co_await (connection_.async_run(config_, as_pair) || ask());
        if (!wanted_) break;
        between = answered_ ? first_scout_pause : std::min(2 * between, longest_scout_pause);
        pause_.expires_after(varied(between, random_unit()));
        co_await pause_.async_wait(as_pair);
    }
    running_ = false;
}

awaitable<void> slot_scout::ask() {
    auto pause = first_scout_pause;
    const endpoint asked{config_.addr.host, config_.addr.port};
    for (int left = questions_to_one; left > 0 && wanted_; --left) {
        reply answer;
        const auto [failed, bytes] =
            co_await connection_.async_exec(question_, answer.recorder(),
                                            asio::cancel_after(scout_patience, as_pair));
        if (failed || !wanted_) co_return;
        answered_ = true;
        if (const auto owner = owner_in(answer, asked)) found_(*owner);
        if (!wanted_) co_return;
        pause_.expires_after(varied(pause, random_unit()));
        co_await pause_.async_wait(as_pair);
        pause = std::min(2 * pause, longest_scout_pause);
    }
}

}  // namespace errand::redis
