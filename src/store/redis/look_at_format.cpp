#include "store/redis/look_at_format.hpp"

#include <errand/error.hpp>

#include "store/redis/address.hpp"
#include "store/redis/caller.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/keys.hpp"
#include "store/redis/reply.hpp"
#include "store/redis/server_check.hpp"
#include "store/redis/tallies.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace errand::redis {
namespace {

// Hears what its caller is to know of the connection, and nothing of tasks.
class onlooker final : public connection_listener {
public:
    onlooker(const store_settings& settings, const address& to, const keys& of)
        : caller_{settings, to, of.channel("")} {}

    caller& calls() noexcept { return caller_; }
    void up() override { caller_.up(); }
    void down(std::string_view cause) override { caller_.down(cause); }
    void message(std::string_view) override {}

private:
    caller caller_;
};

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
    const auto to = parse_address(settings.url);
    const keys of{settings.name_space, settings.shard};
    onlooker looks{settings, to, of};
    auto check = connection::request();
    check.push("PING");
    auto over = std::make_shared<connection>(on, to, of.channel("look"), of.channel_of_all(), check, looks);
    looks.calls().use(over);
    over->start();
    struct stopping {
        caller& calls;
        ~stopping() { calls.close(); }
    } const at_the_end{looks.calls()};

    stored_format seen{.store = to.shown, .number = {}, .oldest = store_format, .newest = store_format};
    const auto text = co_await format_of(looks.calls(), of);
    int number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{})
        seen.number = number;
    seen.workers = co_await workers_of(looks.calls(), of);
    co_return seen;
}

}  // namespace errand::redis
