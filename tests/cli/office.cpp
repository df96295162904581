#include "cli/office.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

namespace cli_test {

errand::awaitable<int> chore::perform(int number) {
    auto& self = co_await errand::this_task();
    self.log().info("chore {}", number);
    if (broken) throw std::runtime_error{"no route to host " + std::to_string(number)};
    while (blocked && !self.cancelled()) {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor,
                                        std::chrono::milliseconds{2}};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
    co_return co_await self.stage("double", [number]() -> errand::awaitable<int> { co_return 2 * number; });
}

void office::let_die(int n) {
    broken = true;
    std::vector<std::tuple<int>> items;
    for (int i = 0; i < n; ++i) items.emplace_back(i);
    run(app.handler<chore>().perform_bulk(items));
    start();
    all_are(errand::state::dead, static_cast<std::size_t>(n));
    broken = false;
}

std::size_t office::count(errand::state in, const std::string& queue) {
    for (const auto& one : run(app.inspect().queues())) {
        if (one.name == queue) return one.count(in);
    }
    return 0;
}

std::map<std::string, std::string> office::variables() const {
    std::map<std::string, std::string> all{{"ERRAND_STORE", app.settings().store},
                                           {"ERRAND_NAME_SPACE", app.settings().name_space}};
    if (app.settings().shards > 1) all["ERRAND_SHARDS"] = std::to_string(app.settings().shards);
    return all;
}

errand::test::cli_result office::errand(const std::vector<std::string>& words, const std::string& input,
                                        std::map<std::string, std::string> more) const {
    more.merge(variables());
    return errand::test::cli_process{words, more, input}.wait();
}

boost::json::value office::answer(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const auto got = errand(words);
    INFO(got.err);
    REQUIRE(got.code == 0);
    CHECK(got.err.empty());
    return got.json();
}

std::set<std::string> each(const boost::json::value& array, std::string_view member) {
    std::set<std::string> all;
    for (const auto& one : array.as_array()) {
        const auto& value = one.at(member);
        all.insert(value.is_string() ? std::string{value.as_string()} : boost::json::serialize(value));
    }
    return all;
}

}  // namespace cli_test

ERRAND_DEFINE_HANDLER(cli_test::chore)
