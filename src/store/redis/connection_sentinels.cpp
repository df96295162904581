// What a connection does behind Sentinels.
#include "store/redis/connection.hpp"
#include "store/redis/connection_config.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand::redis {
namespace {

namespace asio = boost::asio;

constexpr auto without_throw = asio::as_tuple(asio::use_awaitable);

}  // namespace

// The subscription is confirmed before the library has heard whether the server is a master, and maybe heard of when that was a
// replica and is gone: what is asked behind all that is answered by a master alone.
awaitable<void> connection::confirm() {
    for (unsigned of = 0; of != subscribed_;) {
        of = subscribed_;
        auto question = request();
        question.push("PING");
        reply answer;
        const auto [failed, bytes] =
            co_await connection_.async_exec(question, answer.recorder(), without_throw);
        if (is_stopped()) co_return;
        if (failed || dropping_) continue;
        const bool is_right = co_await is_master_here();
        if (is_stopped()) co_return;
        if (of != subscribed_ || dropping_ || up_) continue;
        if (is_right)
            come_up();
        else
            leave_for_another();
    }
    confirming_ = false;
}

// Once for what they said: where the name of a master leads to different servers, it would be left again and again. What they say
// while a name is looked up counts: the connection may be the one to the later master already.
awaitable<bool> connection::is_master_here() {
    while (masters_->right() && !left_for_it_) {
        const auto asked = *masters_->right();
        const bool elsewhere = co_await is_elsewhere(asked.server);
        if (is_stopped()) co_return true;
        if (masters_->right() == asked) co_return !elsewhere;
    }
    co_return true;
}

void connection::leave_for_another() {
    left_for_it_ = true;
    drop("the Sentinels have made another server the master");
}

awaitable<bool> connection::is_elsewhere(endpoint server) {
    asio::ip::tcp::resolver names{connection_.get_executor()};
    const auto [failed, found] = co_await names.async_resolve(server.host, server.port, without_throw);
    if (failed) co_return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    auto& socket = connection_.next_layer().lowest_layer();
#pragma GCC diagnostic pop
    boost::system::error_code away;
    const auto here = socket.remote_endpoint(away);
    co_return !away && std::ranges::none_of(found, [&](const auto& one) { return one.endpoint() == here; });
}

awaitable<void> connection::leave_deposed() {
    const auto of = subscribed_;
    const bool is_right = co_await is_master_here();
    if (!is_right && !is_stopped() && up_ && of == subscribed_) leave_for_another();
}

void connection::hear_sentinel(std::size_t which, const named_master& what) {
    if (is_stopped()) return;
    const auto news = masters_->hear(which, what);
    if (!news.of_master && !news.of_order) return;
    left_for_it_ = false;
    if (news.of_order) config_.sentinel.addresses = library_addresses(masters_->order());
    if (up_) {
        spawn(&connection::leave_deposed);
    } else if (news.of_order) {
        drop("another Sentinel knows of a later master");
    } else if (confirming_) {
        ++subscribed_;
    }
}

}  // namespace errand::redis
