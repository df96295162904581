#include "store/redis/look_at_format.hpp"

#include <errand/error.hpp>

#include "store/redis/onlooker.hpp"
#include "store/redis/reply.hpp"
#include "store/redis/server_check.hpp"
#include "store/redis/tallies.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace errand::redis {
namespace {

awaitable<std::string> format_of(caller& calls, const keys& of) {
    auto ask = connection::request();
    ask.push("HGET", of.control(), "format");
    reply answer;
    co_await calls.command("look", ask, answer);
    co_return std::string{answer.first()};
}

// By the clock of this machine, which is near enough to tell who is alive.
awaitable<std::vector<worker_card>> workers_of(caller& calls, const keys& of) {
    auto ask_cards = connection::request();
    ask_cards.push("HGETALL", of.cards());
    reply cards;
    co_await calls.command("look", ask_cards, cards);
    auto ask_times = connection::request();
    ask_times.push("ZRANGE", of.workers(), 0, -1, "WITHSCORES");
    reply times;
    co_await calls.command("look", ask_times, times);
    const auto pairs = read_pairs(cards);
    const auto now = std::chrono::system_clock::now();
    std::vector<worker_card> alive;
    for (const auto& [name, until] : read_scores(times)) {
        const auto card = std::ranges::find(pairs, name, [](const auto& one) { return one.first; });
        const time_point end{duration{until}};
        if (card != pairs.end() && end > now) alive.push_back({name, card->second, end});
    }
    std::ranges::sort(alive, {}, &worker_card::name);
    co_return alive;
}

}  // namespace

awaitable<stored_format> look_at_format(boost::asio::io_context& on, store_settings settings) {
    onlooker looks{on, settings};
    stored_format seen{.store = looks.to().shown,
                       .number = {},
                       .oldest = oldest_format,
                       .newest = store_format,
                       .stays = true};
    const auto text = co_await format_of(looks.calls(), looks.of());
    int number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{})
        seen.number = number;
    seen.workers = co_await workers_of(looks.calls(), looks.of());
    co_return seen;
}

}  // namespace errand::redis
