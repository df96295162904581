// Chains over shards that are submitted anew just as their first task ends.
#include "support/three_shards.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using errand::state;
using errand::test::eventually;

namespace chain_test {

// Fails the first time, after a while, and succeeds from then on.
struct falls_once {
    errand::awaitable<void> perform(std::string name, int ms) {
        bool again = false;
        {
            const std::lock_guard lock{guard};
            again = !fallen.insert(name).second;
        }
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor,
                                        std::chrono::milliseconds{ms}};
        co_await timer.async_wait(boost::asio::use_awaitable);
        if (!again) throw std::runtime_error{"it falls once"};
    }
    static std::string biz_id(const std::string& name, int) { return name; }

    static inline std::mutex guard;
    static inline std::set<std::string> fallen;
};

}  // namespace chain_test

ERRAND_HANDLER(chain_test::falls_once, .max_retry = 0)

TEST_CASE(
    "a chain that is submitted while its first task fails goes with the life that it began, or that it met",
    "[shards]") {
    shards_test::bench t;
    t.start();
    auto firsts = t.app.handler<chain_test::falls_once>();
    auto steps = t.app.handler<shards_test::step>();
    {
        const std::lock_guard lock{chain_test::falls_once::guard};
        chain_test::falls_once::fallen.clear();
    }
    for (std::size_t round = 0; round < 60; ++round) {
        const auto name = "first" + std::to_string(round);
        const auto first = t.run(firsts.perform_async(name, static_cast<int>(round % 12)));
        eventually([&] { return t.info(first).state != state::ready; });
        const auto began = std::chrono::steady_clock::now();
        const auto next = t.run(errand::chain(firsts.plan(name, static_cast<int>(round % 12)),
                                              steps.plan(t.on(round % 3, "next" + std::to_string(round))))
                                    .submit());
        // What is told of the first one before is waited for so long at most.
        const bool was_told = std::chrono::steady_clock::now() - began < 2s;
        eventually([&] {
            const auto now = t.info(next).state;
            return now == state::success || now == state::cancelled;
        });
        // Whose first task ran again did not hear that it had failed before.
        const auto ended = t.run(t.app.find(first.id()))->state, followed = t.info(next).state;
        if (was_told) CHECK(ended == (followed == state::success ? state::success : state::dead));
    }
}
