// What a connection does on a cluster.
#include "store/redis/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace errand::redis {
namespace {

namespace asio = boost::asio;

// From so many looks in a row on without a sign of life, others are asked whether there is another owner. One that is there was
// asked for a sign before that.
constexpr unsigned silent_while_up = 4, silent_while_made = 2;

}  // namespace

void connection::follow(std::string_view error) {
    if (is_stopped() || dropping_) return;
    sent_on_ = true;
    if (const auto to = moved_to(error); to && place_) place_->follow(*to);
    renew("another server of the cluster has the shard now", calls_in_flight::answered);
}

// Being sent on is the way to the server, and nothing to be told of.
void connection::choose_place(std::string_view line) {
    if (std::exchange(chosen_, true)) return;
    if (const auto to = moved_to(line)) {
        place_->follow(*to);
        sent_on_ = true;
        if (!up_) return;
    } else if (line.find("CLUSTERDOWN") != line.npos) {
        // It is there, and may be the successor in a moment.
        look_for_owner();
        place_->leave();
    } else {
        give_up_place();
    }
    up_ = false;
    tell_->down(line);
    changed();
}

// The first that is tried in vain may be one of the URL's that is away, and the next one knows.
void connection::give_up_place() {
    if (tries_ > 1) look_for_owner();
    if (std::ranges::find(failed_, place_->at()) == failed_.end()) failed_.push_back(place_->at());
    place_->leave();
}

bool connection::is_silent() const { return quiet_ >= (up_ ? silent_while_up : silent_while_made); }

void connection::look_for_owner() {
    auto others = place_->known();
    std::erase(others, place_->at());
    scout_->begin(std::move(others));
}

void connection::hear_scout(const endpoint& owner) {
    if (is_stopped() || dropping_) return;
    if (up_ && !is_silent()) {
        scout_->end();
        return;
    }
    // The one that is away, of whose successor nobody has heard yet, is tried again in its own time.
    const bool is_here = owner == place_->at();
    if (std::ranges::find(failed_, owner) != failed_.end() || (is_here && !pausing_)) return;
    if (!is_here) place_->follow(owner);
    sent_on_ = true;
    tries_ = 0;
    if (pausing_)
        pause_.cancel();
    else
        renew("another server of the cluster has the shard now", calls_in_flight::lost);
}

// Of the servers, for when all that the URL names are away. Where the user may not ask, those have to do.
awaitable<void> connection::learn() {
    if (is_stopped()) co_return;
    auto ask = request();
    ask.push("CLUSTER", "NODES");
    reply nodes;
    const auto [failed, bytes] =
        co_await connection_.async_exec(ask, nodes.recorder(), asio::as_tuple(asio::use_awaitable));
    if (!failed && !nodes.is_error() && place_) place_->learn(nodes_in(nodes.first()));
}

}  // namespace errand::redis
